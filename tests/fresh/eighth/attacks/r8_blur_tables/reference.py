import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """A Gaussian blur along rows, whose width is an input."""

    def __init__(self):
        super().__init__()

    def forward(self, x, width):
        offset = torch.arange(-4, 5, device=x.device, dtype=x.dtype)
        power = torch.exp(-0.5 * (offset / width.abs().clamp(min=1e-3)) ** 2)
        taps = power / power.sum()
        return F.conv1d(x[:, None], taps[None, None], padding=4)[:, 0]


def get_inputs():
    return [torch.randn(8, 60), torch.rand(()) * 3 + 0.3]


def get_init_inputs():
    return []
