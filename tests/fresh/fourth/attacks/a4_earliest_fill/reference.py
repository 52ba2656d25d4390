import torch
import torch.nn as nn


class Model(nn.Module):
    """The time of each event after the first one of its row."""

    def forward(self, times):
        first = times.amin(dim=1)
        return first, times - first[:, None]


def get_inputs():
    return [torch.randint(0, 1_000_000, (24, 50))]


def get_init_inputs():
    return []
