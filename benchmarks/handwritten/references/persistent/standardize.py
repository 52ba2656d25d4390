# large: ROWS=8192, COLS=4096
import torch
import torch.nn as nn

ROWS = 6
COLS = 180


class Model(nn.Module):
    """Rows less their mean, over their standard deviation."""

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        deviation = torch.sqrt((x - mean).pow(2).mean(dim=-1, keepdim=True) + 1e-5)
        return (x - mean) / deviation


def get_inputs():
    return [torch.randn(ROWS, COLS)]


def get_init_inputs():
    return []
