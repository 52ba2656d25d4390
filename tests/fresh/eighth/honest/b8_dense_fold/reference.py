import torch
import torch.nn as nn


class Model(nn.Module):
    """A linear layer, batch normalization and ReLU."""

    def __init__(self, dim, hidden):
        super().__init__()
        self.proj = nn.Linear(dim, hidden)
        self.norm = nn.BatchNorm1d(hidden)

    def forward(self, x):
        return torch.relu(self.norm(self.proj(x)))


def get_inputs():
    return [torch.randn(24, 20)]


def get_init_inputs():
    return [20, 18]
