# large: ROWS=16384, COLS=1025
import torch
import torch.nn as nn

ROWS = 4
COLS = 1025


class Model(nn.Module):
    """Root-mean-square norm of rows of odd length."""

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(dim=-1, keepdim=True) + 1e-5)


def get_inputs():
    return [torch.randn(ROWS, COLS)]


def get_init_inputs():
    return []
