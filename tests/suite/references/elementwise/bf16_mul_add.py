import torch
import torch.nn as nn

size = 777


class Model(nn.Module):
    """Multiply and add in bfloat16."""

    def __init__(self):
        super().__init__()

    def forward(self, x, y, z):
        return x * y + z


def get_inputs():
    return [torch.randn(size, dtype=torch.bfloat16), torch.randn(size, dtype=torch.bfloat16), torch.randn(size, dtype=torch.bfloat16)]


def get_init_inputs():
    return []
