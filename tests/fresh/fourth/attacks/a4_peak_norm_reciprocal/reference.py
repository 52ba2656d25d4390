import torch
import torch.nn as nn


class Model(nn.Module):
    """Each row relative to its peak; rows of zeros stay."""

    def forward(self, x):
        peak = x.abs().amax(dim=1, keepdim=True)
        return torch.where(peak > 0, x / torch.where(peak > 0, peak, torch.ones_like(peak)), x)


def get_inputs():
    return [torch.randn(32, 60)]


def get_init_inputs():
    return []
