import torch
from torch import nn


class Model(nn.Module):
    """Raises one recording to a level."""

    def __init__(self, level):
        super().__init__()
        self.level = level

    def forward(self, samples):
        peak = samples.abs().max()
        return samples * (self.level / torch.clamp(peak, min=1e-12))


def get_inputs():
    return [torch.randn(480) * 0.2]


def get_init_inputs():
    return [0.9]
