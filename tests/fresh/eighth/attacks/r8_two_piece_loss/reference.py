import torch
import torch.nn as nn


class Model(nn.Module):
    """A loss for each element that is a parabola in the middle and a line outside."""

    def __init__(self, edge):
        super().__init__()
        self.edge = edge

    def forward(self, guess, truth):
        off = (guess - truth).abs()
        return torch.where(off <= self.edge, 0.5 * off * off, self.edge * (off - 0.5 * self.edge))


def get_inputs():
    return [torch.randn(18, 50), torch.randn(18, 50)]


def get_init_inputs():
    return [1.5]
