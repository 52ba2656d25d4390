import torch
from torch import nn


class Model(nn.Module):
    """Shares of each column in the whole input's sum of magnitudes."""

    def forward(self, x):
        return x.abs().sum(0) / (x.abs().sum() + 1.0)


def get_inputs():
    return [torch.randn(64, 32)]


def get_init_inputs():
    return []
