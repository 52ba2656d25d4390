import torch
from torch import nn


class Model(nn.Module):
    """Roots of what is above zero, and zero for everything else."""

    def __init__(self, sensors):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(sensors))

    def forward(self, x):
        return torch.where(x > 0, self.gain * torch.sqrt(x.clamp(min=0.0)), torch.zeros_like(x))


def get_inputs():
    return [torch.randn(9, 32)]


def get_init_inputs():
    return [32]
