import torch
import torch.nn as nn


class Model(nn.Module):
    """The order of the keys of each row, equal ones in their old order."""

    def forward(self, keys):
        return torch.sort(keys, dim=1, stable=True).values


def get_inputs():
    return [torch.randint(0, 50_000, (16, 64), dtype=torch.int32)]


def get_init_inputs():
    return []
