import torch
import torch.nn as nn


class Model(nn.Module):
    """Mamba's short convolution: depthwise and causal over time, then SiLU."""

    def __init__(self, channels, width):
        super().__init__()
        self.width = width
        self.conv = nn.Conv1d(channels, channels, width, groups=channels)

    def forward(self, x):
        y = self.conv(torch.nn.functional.pad(x.transpose(1, 2), (self.width - 1, 0)))
        return torch.nn.functional.silu(y).transpose(1, 2).contiguous()


def get_inputs():
    return [torch.randn(2, 45, 20)]


def get_init_inputs():
    return [20, 4]
