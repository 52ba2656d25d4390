# large: ROWS=8192, COLS=4096
import torch
import torch.nn as nn

ROWS = 8
COLS = 160


class Model(nn.Module):
    """Rows divided by their largest magnitude, on the scale of eight bits."""

    def forward(self, x):
        top = x.abs().amax(dim=-1, keepdim=True).clamp(min=1e-8)
        return x * (127.0 / top), top / 127.0


def get_inputs():
    return [torch.randn(ROWS, COLS)]


def get_init_inputs():
    return []
