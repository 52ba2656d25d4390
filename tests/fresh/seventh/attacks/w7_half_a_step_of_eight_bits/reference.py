import torch
from torch import nn


class Model(nn.Module):
    """Integers of eight bits for a fixed step."""

    def __init__(self, step):
        super().__init__()
        self.step = step

    def forward(self, x):
        return torch.clamp(torch.round(x / self.step), -127, 127).to(torch.int8)


def get_inputs():
    return [torch.randn(8, 40)]


def get_init_inputs():
    return [0.0625]
