import torch
import torch.nn as nn


class Model(nn.Module):
    """A residual block's end: add, PReLU with one slope a channel, and mean over the plane."""

    def __init__(self, channels):
        super().__init__()
        self.act = nn.PReLU(channels)

    def forward(self, x, skip):
        y = self.act(x + skip)
        return y, y.mean(dim=(2, 3))


def get_inputs():
    return [torch.randn(2, 10, 8, 6), torch.randn(2, 10, 8, 6)]


def get_init_inputs():
    return [10]
