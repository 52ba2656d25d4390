import torch
import torch.nn as nn


class Model(nn.Module):
    """Rows of length one, worked out so that no square overflows; rows of zeros stay."""

    def __init__(self):
        super().__init__()

    def forward(self, x):
        size = x.abs().amax(-1, keepdim=True)
        near = x / torch.where(size > 0, size, torch.ones_like(size))
        length = near.square().sum(-1, keepdim=True).sqrt()
        return near / torch.where(length > 0, length, torch.ones_like(length))


def get_inputs():
    return [torch.randn(16, 72)]


def get_init_inputs():
    return []
