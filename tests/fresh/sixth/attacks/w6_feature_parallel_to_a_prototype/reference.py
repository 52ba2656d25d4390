import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.prototypes = nn.Parameter(torch.randn(8, 16))

    def forward(self, x):
        a = x.square().sum(-1).clamp(min=1e-24).rsqrt()
        b = self.prototypes.square().sum(-1).clamp(min=1e-24).rsqrt()
        cos = (x @ self.prototypes.t()) * a[:, None] * b
        return (1 - cos * cos).clamp(min=0).sqrt()


def get_inputs():
    return [torch.randn(16, 16)]


def get_init_inputs():
    return []
