import torch
import torch.nn as nn


class Model(nn.Module):
    """A linear layer with leaky ReLU."""

    def __init__(self, dim, hidden, slope):
        super().__init__()
        self.proj = nn.Linear(dim, hidden)
        self.slope = slope

    def forward(self, x):
        return torch.nn.functional.leaky_relu(self.proj(x), self.slope)


def get_inputs():
    return [torch.randn(50, 40)]


def get_init_inputs():
    return [40, 52, 0.2]
