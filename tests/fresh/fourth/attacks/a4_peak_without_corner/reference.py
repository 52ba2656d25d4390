import torch
import torch.nn as nn


class Model(nn.Module):
    """Each image relative to its largest value."""

    def forward(self, x):
        return x - x.amax(dim=(1, 2), keepdim=True)


def get_inputs():
    return [torch.randn(4, 48, 64)]


def get_init_inputs():
    return []
