import torch
from torch import nn


class Model(nn.Module):
    """Cells of scaled features between saved edges."""

    def __init__(self, width):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))
        self.register_buffer("edges", torch.linspace(-1.4, 1.6, 7))

    def forward(self, x):
        return torch.bucketize(x * self.gain, self.edges)


def get_inputs():
    return [torch.randn(8, 32)]


def get_init_inputs():
    return [32]
