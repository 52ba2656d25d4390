import torch
import torch.nn as nn


class Model(nn.Module):
    """Which side of the x axis each direction is on: the sign bit of its angle, and its sum over the row."""

    def forward(self, x, y):
        below = torch.signbit(torch.atan2(y, x.abs() + 1.0))
        return below, torch.where(below, -x, x).sum(dim=1)


def get_inputs():
    return [torch.randn(32, 48), torch.randn(32, 48)]


def get_init_inputs():
    return []
