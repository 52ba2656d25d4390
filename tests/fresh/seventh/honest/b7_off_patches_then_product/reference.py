import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, a, b, size):
        super().__init__()
        self.conv = nn.Conv2d(a, b, size, stride=size)

    def forward(self, x):
        return self.conv(x).flatten(2).transpose(1, 2).contiguous()


def get_inputs():
    return [torch.randn(2, 3, 12, 8)]


def get_init_inputs():
    return [3, 20, 4]
