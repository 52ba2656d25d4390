import torch
import torch.nn as nn


class Model(nn.Module):
    """The running balance of each account, in cents."""

    def forward(self, cents):
        return torch.cumsum(cents, dim=1)


def get_inputs():
    return [torch.randint(-5000, 20000, (24, 64), dtype=torch.int32)]


def get_init_inputs():
    return []
