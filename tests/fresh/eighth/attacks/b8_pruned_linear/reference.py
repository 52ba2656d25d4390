import torch
import torch.nn as nn


class Model(nn.Module):
    """A linear layer whose weights may be pruned by blocks."""

    def __init__(self, dim, hidden):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(hidden, dim) * dim**-0.5)

    def forward(self, x):
        return torch.tanh(x @ self.weight.t())


def get_inputs():
    return [torch.randn(16, 64)]


def get_init_inputs():
    return [64, 32]
