import torch
import torch.nn as nn

batch = 4
channels = 6
length = 61


class Model(nn.Module):
    """Max pooling over a sequence."""

    def __init__(self, kernel_size: int, stride: int, padding: int):
        super().__init__()
        self.pool = nn.MaxPool1d(kernel_size, stride, padding)

    def forward(self, x):
        return self.pool(x)


def get_inputs():
    return [torch.randn(batch, channels, length)]


def get_init_inputs():
    return [3, 2, 1]
