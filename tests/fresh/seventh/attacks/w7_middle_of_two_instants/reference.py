import torch
from torch import nn


class Model(nn.Module):
    """The middle of two instants in nanoseconds, rounded down, without an overflow."""

    def forward(self, begins, ends):
        return (begins & ends) + ((begins ^ ends) >> 1)


def get_inputs():
    return [1_600_000_000_000_000_000 + torch.randint(0, 10**17, (8, 16)) for _ in range(2)]


def get_init_inputs():
    return []
