import torch
import torch.nn as nn


class Model(nn.Module):
    """Scale a signal by a moving average of its energy."""

    def __init__(self):
        super().__init__()
        self.register_buffer("energy", torch.ones(()))

    def forward(self, x):
        self.energy.mul_(0.9).add_(0.1 * x.square().mean())
        return x / torch.sqrt(self.energy + 1e-4)


def get_inputs():
    return [torch.randn(4, 60)]


def get_init_inputs():
    return []
