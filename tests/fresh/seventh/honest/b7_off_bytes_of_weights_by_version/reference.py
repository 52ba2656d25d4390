import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(o, i))

    def forward(self, x):
        step = self.weight.abs().amax(1, keepdim=True).clamp(min=1e-8) / 127.0
        return x @ (torch.round(self.weight / step) * step).T


def get_inputs():
    return [torch.randn(13, 48)]


def get_init_inputs():
    return [48, 21]
