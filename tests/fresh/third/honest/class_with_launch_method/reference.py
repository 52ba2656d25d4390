import torch
import torch.nn as nn


class Model(nn.Module):
    """Layer scale of a standardised input: two statistics of each column, then an affine map."""

    def __init__(self, width):
        super().__init__()
        self.gamma = nn.Parameter(torch.full((width,), 0.5))

    def forward(self, x):
        mean = x.mean(0)
        std = (x - mean).square().mean(0).sqrt()
        return (x - mean) / (std + 1e-3) * self.gamma


def get_inputs():
    return [torch.randn(45, 21)]


def get_init_inputs():
    return [21]
