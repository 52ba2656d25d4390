# large: ROWS=8192, COLS=2048
import torch
import torch.nn as nn
import torch.nn.functional as F

ROWS = 12
COLS = 80


class Model(nn.Module):
    """Mean of the smooth L1 loss over each row."""

    def forward(self, x, y):
        return F.smooth_l1_loss(x, y, reduction="none").mean(dim=-1)


def get_inputs():
    return [torch.randn(ROWS, COLS), torch.randn(ROWS, COLS)]


def get_init_inputs():
    return []
