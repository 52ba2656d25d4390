import torch
from torch import nn


class Model(nn.Module):
    """Gains that are exponentials of saved logarithms."""

    def __init__(self, width):
        super().__init__()
        self.register_buffer("logs", torch.zeros(width))

    def forward(self, x):
        return x * torch.exp(self.logs)


def get_inputs():
    return [torch.randn(6, 32)]


def get_init_inputs():
    return [32]
