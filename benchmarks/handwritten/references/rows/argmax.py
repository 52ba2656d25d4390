# large: ROWS=4096, COLS=8192
import torch
import torch.nn as nn

ROWS = 7
COLS = 120


class Model(nn.Module):
    """The place of each row's largest number."""

    def forward(self, x):
        return torch.argmax(x, dim=-1)


def get_inputs():
    return [torch.randn(ROWS, COLS)]


def get_init_inputs():
    return []
