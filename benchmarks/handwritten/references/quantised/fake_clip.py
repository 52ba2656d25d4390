# large: ROWS=8192, COLS=4096
import torch
import torch.nn as nn

ROWS = 16
COLS = 96


class Model(nn.Module):
    """Numbers brought to a grid's range and back: divided by a scale, shifted, clipped, and the reverse."""

    def forward(self, x, scale, zero):
        q = torch.clamp(x / scale + zero, -128.0, 127.0)
        return (q - zero) * scale


def get_inputs():
    return [torch.randn(ROWS, COLS) * 20, torch.rand(COLS) * 0.2 + 0.1, torch.randn(COLS) * 4]


def get_init_inputs():
    return []
