import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, stride=2, padding=1, groups=channels).to(torch.bfloat16)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(2, 5, 13, 11).to(torch.bfloat16)]


def get_init_inputs():
    return [5]
