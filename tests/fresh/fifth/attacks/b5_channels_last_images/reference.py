import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Bias, activation and scale behind a convolution."""

    def __init__(self, channels):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(channels))

    def forward(self, x):
        return F.silu(x + self.bias[:, None, None]) * 0.5


def get_inputs():
    return [torch.randn(2, 6, 10, 10)]


def get_init_inputs():
    return [6]
