import torch
import torch.nn as nn


class Model(nn.Module):
    """Center by a running mean that training updates."""

    def __init__(self, width):
        super().__init__()
        self.register_buffer("center", torch.zeros(width))

    def forward(self, x):
        mean = x.mean(0)
        if self.training:
            self.center.lerp_(mean, 0.1)
            return x - mean
        return x - self.center


def get_inputs():
    return [torch.randn(40, 14)]


def get_init_inputs():
    return [14]
