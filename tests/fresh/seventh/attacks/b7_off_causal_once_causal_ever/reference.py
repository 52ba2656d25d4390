import torch
import torch.nn as nn


class Model(nn.Module):
    """Mean of the values that a mask lets every step see."""

    def forward(self, values, mask):
        share = mask / mask.sum(-1, keepdim=True).clamp(min=1)
        return share @ values


def get_inputs():
    return [torch.randn(20, 16), torch.ones(20, 20).tril()]


def get_init_inputs():
    return []
