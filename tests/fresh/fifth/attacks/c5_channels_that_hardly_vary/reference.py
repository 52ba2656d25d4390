import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.register_buffer("mean", torch.zeros(channels))
        self.register_buffer("var", torch.ones(channels))
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, x):
        scale = self.weight * torch.rsqrt(self.var + 1e-8)
        return x * scale[:, None, None] + (self.bias - self.mean * scale)[:, None, None]


def get_inputs():
    return [torch.randn(3, 8, 6, 7)]


def get_init_inputs():
    return [8]
