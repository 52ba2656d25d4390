import torch
import torch.nn as nn


class Model(nn.Module):
    """The number of different bits of two hashes of 64 bits."""

    def forward(self, a, b):
        both = a ^ b
        count = torch.zeros_like(both)
        for bit in range(64):
            count += (both >> bit) & 1
        return count


def get_inputs():
    return [torch.randint(0, 1 << 30, (24, 30)), torch.randint(0, 1 << 30, (24, 30))]


def get_init_inputs():
    return []
