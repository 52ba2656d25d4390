import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """The distances of pairs, in powers of two."""

    def forward(self, a, b):
        return torch.log2(F.pairwise_distance(a, b).clamp(min=1e-9))


def get_inputs():
    return [torch.randn(40, 64), torch.randn(40, 64)]


def get_init_inputs():
    return []
