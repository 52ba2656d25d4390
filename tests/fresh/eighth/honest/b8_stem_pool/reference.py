import torch
import torch.nn as nn


class Model(nn.Module):
    """The end of ResNet's stem without its normalization: a scale by channel and a padded max pool."""

    def __init__(self, channels):
        super().__init__()
        self.gain = nn.Parameter(torch.randn(channels))
        self.pool = nn.MaxPool2d(3, stride=2, padding=1)

    def forward(self, x):
        return self.pool(x * self.gain[:, None, None])


def get_inputs():
    return [torch.randn(2, 5, 17, 14)]


def get_init_inputs():
    return [5]
