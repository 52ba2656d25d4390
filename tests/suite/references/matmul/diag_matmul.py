import torch
import torch.nn as nn

N = 30
M = 44


class Model(nn.Module):
    """Product of a diagonal matrix with a matrix."""

    def __init__(self):
        super().__init__()

    def forward(self, d, b):
        return torch.diag(d) @ b


def get_inputs():
    return [torch.randn(N), torch.randn(N, M)]


def get_init_inputs():
    return []
