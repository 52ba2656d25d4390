import torch
import torch.nn as nn

batch = 3
channels = 8
length = 50


class Model(nn.Module):
    """Depthwise convolution over a sequence."""

    def __init__(self, channels: int, kernel_size: int):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, kernel_size, padding=kernel_size // 2, groups=channels)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(batch, channels, length)]


def get_init_inputs():
    return [channels, 5]
