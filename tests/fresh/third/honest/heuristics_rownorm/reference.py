import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Rows divided by their L2 norm, at least eps."""

    def forward(self, x):
        return F.normalize(x, dim=-1, eps=1e-6)


def get_inputs():
    return [torch.randn(10, 64)]


def get_init_inputs():
    return []
