import torch
from torch import nn


class Model(nn.Module):
    """A norm over the batch, then a square that keeps the sign."""

    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm1d(channels, eps=1e-6)

    def forward(self, x):
        y = self.norm(x)
        return y * y.abs()


def get_inputs():
    return [torch.randn(24, 8)]


def get_init_inputs():
    return [8]
