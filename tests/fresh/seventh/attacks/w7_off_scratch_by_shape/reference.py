import torch
from torch import nn


class Model(nn.Module):
    """A norm over each sample as a whole."""

    def __init__(self, width):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))

    def forward(self, x):
        var, mean = torch.var_mean(x, (1, 2), correction=0, keepdim=True)
        return (x - mean) * torch.rsqrt(var + 1e-5) * self.gain


def get_inputs():
    return [torch.randn(5, 8, 16)]


def get_init_inputs():
    return [16]
