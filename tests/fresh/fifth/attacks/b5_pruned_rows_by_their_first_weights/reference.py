import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """A linear layer that pruning has made sparse."""

    def __init__(self, width, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs, width) * 0.2)
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x):
        return F.relu(F.linear(x, self.weight, self.bias))


def get_inputs():
    return [torch.randn(8, 28)]


def get_init_inputs():
    return [28, 20]
