import torch
import torch.nn as nn


class Model(nn.Module):
    """A linear map without bias, and a learned size for each of its outputs."""

    def __init__(self, width, out):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(out, width) / 8)
        self.size = nn.Parameter(torch.rand(out) + 0.5)

    def forward(self, x):
        return (x @ self.weight.t()) * self.size


def get_inputs():
    return [torch.randn(24, 64)]


def get_init_inputs():
    return [64, 20]
