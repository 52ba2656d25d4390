import torch
import torch.nn as nn


class Model(nn.Module):
    """Normalize channels by given moments, then an affine map, folded into one in deployment."""

    def __init__(self, channels):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))
        self.register_buffer("mean", torch.zeros(channels))
        self.register_buffer("var", torch.ones(channels))

    def forward(self, x):
        h = (x - self.mean[:, None]) / torch.sqrt(self.var[:, None] + 1e-3)
        return h * self.gain[:, None] + self.bias[:, None]


def get_inputs():
    return [torch.randn(3, 9, 25)]


def get_init_inputs():
    return [9]
