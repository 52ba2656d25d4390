import torch
import torch.nn as nn


class Model(nn.Module):
    """Mix two tracks at half volume."""

    def forward(self, left, right):
        return ((left.int() + right.int()) >> 1).to(torch.int16)


def get_inputs():
    return [torch.randint(-8000, 8001, (16, 60), dtype=torch.int16), torch.randint(-8000, 8001, (16, 60), dtype=torch.int16)]


def get_init_inputs():
    return []
