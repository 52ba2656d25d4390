import math

import torch
import torch.nn as nn


class Model(nn.Module):
    """A mu-law coder that keeps the sign bit of every sample."""

    def __init__(self):
        super().__init__()
        self.floor = nn.Parameter(torch.tensor(0.01))

    def forward(self, wave):
        size = torch.log1p(wave.abs() * 255.0) / math.log(256.0)
        return torch.copysign(size + self.floor.abs(), wave)


def get_inputs():
    return [torch.rand(3, 120) * 2 - 1]


def get_init_inputs():
    return []
