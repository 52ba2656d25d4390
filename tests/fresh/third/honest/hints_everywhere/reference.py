import torch
import torch.nn as nn


class Model(nn.Module):
    """Row sums of squares and the rows' cubes."""

    def forward(self, x):
        return (x * x).sum(-1), x * x * x


def get_inputs():
    return [torch.randn(11, 80)]


def get_init_inputs():
    return []
