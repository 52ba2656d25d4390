# large: ROWS=16384, COLS=2047
import torch
import torch.nn as nn

ROWS = 5
COLS = 1031


class Model(nn.Module):
    """Rows of odd length, each scaled by its own number and passed through tanh's cheap cousin."""

    def forward(self, x, scale):
        y = x * scale[:, None]
        return y / (1.0 + y.abs())


def get_inputs():
    return [torch.randn(ROWS, COLS), torch.randn(ROWS)]


def get_init_inputs():
    return []
