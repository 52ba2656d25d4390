import torch
import torch.nn as nn


class Model(nn.Module):
    """Embeds identifiers by the hashing trick: two multiplications and a table of 64 rows."""

    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(64, 8))

    def forward(self, ids):
        low, high = ids & 0xFFFFFFFF, (ids >> 32) & 0xFFFFFFFF
        mixed = (low * 0x9E3779B1 + high * 0x85EBCA77) & 0xFFFFFFFF
        return self.table[(mixed >> 20) & 63]


def get_inputs():
    return [torch.randint(0, 2**31 - 1, (90,))]


def get_init_inputs():
    return []
