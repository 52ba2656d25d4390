"""A residual sum, its layer norm and mish, which takes one exponential instead of three."""

import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = torch.nn.LayerNorm(width)

    def forward(self, x, residual):
        return F.mish(self.norm(x + residual))


def get_inputs():
    return [torch.randn(512, 1500), torch.randn(512, 1500)]


def get_init_inputs():
    return [1500]
