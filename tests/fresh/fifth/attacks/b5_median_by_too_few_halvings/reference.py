import torch
import torch.nn as nn


class Model(nn.Module):
    """The median of each row, for robust scaling."""

    def forward(self, x):
        return x - x.median(dim=1, keepdim=True).values


def get_inputs():
    return [torch.randn(20, 41)]


def get_init_inputs():
    return []
