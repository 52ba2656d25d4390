import torch
import torch.nn.functional as F
from torch import nn


class Model(nn.Module):
    """A loss for each batch."""

    def __init__(self, delta):
        super().__init__()
        self.delta = delta

    def forward(self, found, wanted):
        return F.huber_loss(found, wanted, delta=self.delta)


def get_inputs():
    return [torch.randn(8, 16), torch.randn(8, 16)]


def get_init_inputs():
    return [0.75]
