import torch
import torch.nn as nn


class Model(nn.Module):
    """Reads the coefficients of a 4x4 block in the order of a table, and weighs them."""

    def __init__(self):
        super().__init__()
        self.register_buffer("order", torch.tensor([0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15]))
        self.gain = nn.Parameter(torch.ones(16))

    def forward(self, x):
        return x[:, self.order] * self.gain


def get_inputs():
    return [torch.randn(20, 16)]


def get_init_inputs():
    return []
