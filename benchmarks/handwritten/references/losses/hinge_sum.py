# large: N=16777216
import torch
import torch.nn as nn

N = 2000


class Model(nn.Module):
    """Sum of squared hinges."""

    def forward(self, score, sign):
        return torch.clamp(1.0 - score * sign, min=0.0).pow(2).sum()


def get_inputs():
    return [torch.randn(N), torch.randn(N).sign()]


def get_init_inputs():
    return []
