# large: N=33554432
import torch
import torch.nn as nn
import torch.nn.functional as F

N = 2500


class Model(nn.Module):
    """Binary cross entropy of logits, element by element."""

    def forward(self, x, y):
        return F.binary_cross_entropy_with_logits(x, y, reduction="none")


def get_inputs():
    return [torch.randn(N), torch.rand(N)]


def get_init_inputs():
    return []
