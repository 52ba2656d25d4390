import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """A linear map with rows of unit length (weight normalization without gain)."""

    def __init__(self, inner, outer):
        super().__init__()
        self.direction = nn.Parameter(torch.randn(outer, inner))

    def forward(self, x):
        return F.linear(x, F.normalize(self.direction, dim=1))


def get_inputs():
    return [torch.randn(17, 16)]


def get_init_inputs():
    return [16, 10]
