# large: ROWS=8192, COLS=4096
import torch
import torch.nn as nn

ROWS = 12
COLS = 100


class Model(nn.Module):
    """A residual and a branch, mixed by the sigmoid of a gate."""

    def forward(self, x, branch, gate):
        return x + torch.sigmoid(gate) * branch


def get_inputs():
    return [torch.randn(ROWS, COLS) for _ in range(3)]


def get_init_inputs():
    return []
