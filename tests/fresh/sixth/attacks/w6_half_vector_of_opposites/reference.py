import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.axes = nn.Parameter(torch.randn(8, 16))

    def forward(self, x):
        a = x.square().sum(-1).clamp(min=1e-24).rsqrt()
        b = self.axes.square().sum(-1).clamp(min=1e-24).rsqrt()
        cos = (x @ self.axes.t()) * a[:, None] * b
        return 1.0 / (1.0 + cos).clamp(min=1e-4)


def get_inputs():
    return [torch.randn(16, 16)]


def get_init_inputs():
    return []
