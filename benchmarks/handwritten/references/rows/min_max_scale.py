# large: ROWS=8192, COLS=4096
import torch
import torch.nn as nn

ROWS = 6
COLS = 180


class Model(nn.Module):
    """Rows brought to the range from zero to one."""

    def forward(self, x):
        low = x.amin(dim=-1, keepdim=True)
        high = x.amax(dim=-1, keepdim=True)
        return (x - low) / (high - low + 1e-6)


def get_inputs():
    return [torch.randn(ROWS, COLS)]


def get_init_inputs():
    return []
