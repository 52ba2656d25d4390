# large: ROWS=8192, COLS=4096
import torch
import torch.nn as nn

ROWS = 6
COLS = 192


class Model(nn.Module):
    """A residual sum, its root-mean-square norm, and the sum for the next block."""

    def __init__(self, width, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x, residual):
        total = x + residual
        scale = torch.rsqrt(total.pow(2).mean(dim=-1, keepdim=True) + self.eps)
        return total * scale * self.weight, total


def get_inputs():
    return [torch.randn(ROWS, COLS), torch.randn(ROWS, COLS)]


def get_init_inputs():
    return [COLS, 1e-6]
