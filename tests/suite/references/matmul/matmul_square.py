import torch
import torch.nn as nn

N = 64


class Model(nn.Module):
    """Product of matrices whose sizes blocks divide."""

    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        return a @ b


def get_inputs():
    return [torch.randn(N, N), torch.randn(N, N)]


def get_init_inputs():
    return []
