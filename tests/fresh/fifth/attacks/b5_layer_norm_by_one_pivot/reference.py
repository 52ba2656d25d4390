import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """A layer norm without weights."""

    def forward(self, x):
        return F.layer_norm(x, x.shape[-1:])


def get_inputs():
    return [torch.randn(24, 48)]


def get_init_inputs():
    return []
