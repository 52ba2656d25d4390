import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Means of eight neighbours along time, scaled for each channel."""

    def __init__(self, channels):
        super().__init__()
        self.scale = nn.Parameter(torch.rand(channels) + 0.5)

    def forward(self, x):
        return F.avg_pool1d(x, 8, stride=1) * self.scale[:, None]


def get_inputs():
    return [torch.randn(2, 6, 100)]


def get_init_inputs():
    return [6]
