import torch
from torch import nn


class Model(nn.Module):
    """Attention under a mask that is part of the state."""

    def __init__(self, length, width):
        super().__init__()
        self.scale = width**-0.5
        self.register_buffer("visible", torch.ones(length, length).tril().bool())

    def forward(self, q, k, v):
        scores = (q @ k.transpose(1, 2)) * self.scale
        scores = scores.masked_fill(~self.visible, -float("inf"))
        return torch.softmax(scores, -1) @ v


def get_inputs():
    return [torch.randn(4, 24, 16) for _ in range(3)]


def get_init_inputs():
    return [24, 16]
