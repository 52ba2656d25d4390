import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(c))

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5) * self.gain


def get_inputs():
    return [torch.randn(12, 30)]


def get_init_inputs():
    return [30]
