import torch
from torch import nn


class Model(nn.Module):
    """Applies a metric that is part of the state."""

    def __init__(self, width):
        super().__init__()
        base = torch.randn(width, width) * 0.2
        self.register_buffer("metric", base + base.t() + torch.eye(width))

    def forward(self, x):
        return x @ self.metric


def get_inputs():
    return [torch.randn(12, 24)]


def get_init_inputs():
    return [24]
