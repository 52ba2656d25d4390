import torch
import torch.nn as nn


class Model(nn.Module):
    """Two linear layers over the same input: one with a bias, one without but with a residual."""

    def __init__(self, width):
        super().__init__()
        self.a = nn.Linear(width, width)
        self.b = nn.Linear(width, width, bias=False)

    def forward(self, x):
        return self.a(x), self.b(x) + x


def get_inputs():
    return [torch.randn(21, 34)]


def get_init_inputs():
    return [34]
