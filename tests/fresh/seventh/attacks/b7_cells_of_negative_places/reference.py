import torch
import torch.nn as nn


class Model(nn.Module):
    """Put integer coordinates into the cells of a hashed grid."""

    def __init__(self, buckets):
        super().__init__()
        self.table = nn.Parameter(torch.randn(buckets, 6))

    def forward(self, places):
        cells = torch.div(places, 8, rounding_mode="floor")
        slot = torch.remainder(cells[:, 0] * 31 + cells[:, 1] * 17 + cells[:, 2], self.table.shape[0])
        return self.table[slot]


def get_inputs():
    return [torch.randint(0, 256, (50, 3))]


def get_init_inputs():
    return [61]
