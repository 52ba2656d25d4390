import torch
import torch.nn as nn

rows = 9
cols = 150


class Model(nn.Module):
    """Index of the largest element of every row."""

    def __init__(self):
        super().__init__()

    def forward(self, x):
        return torch.argmax(x, dim=1)


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
