import torch
from torch import nn


class Model(nn.Module):
    """Lengths of vectors of any size: what is squared is at most one."""

    def forward(self, x):
        largest = x.abs().amax(-1, keepdim=True)
        safe = torch.where(largest > 0, largest, torch.ones_like(largest))
        return (safe * ((x / safe) ** 2).sum(-1, keepdim=True).sqrt()).squeeze(-1)


def get_inputs():
    return [torch.randn(12, 48)]


def get_init_inputs():
    return []
