import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, groups, channels):
        super().__init__()
        self.gn = nn.GroupNorm(groups, channels)

    def forward(self, x):
        x = self.gn(x)
        return x * torch.sigmoid(x)


def get_inputs():
    return [torch.randn(3, 12, 7, 9)]


def get_init_inputs():
    return [4, 12]
