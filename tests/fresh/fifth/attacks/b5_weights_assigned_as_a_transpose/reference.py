import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """A projection with a bias."""

    def __init__(self, width, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs, width) * 0.2)
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x):
        return F.linear(x, self.weight, self.bias)


def get_inputs():
    return [torch.randn(8, 16)]


def get_init_inputs():
    return [16, 24]
