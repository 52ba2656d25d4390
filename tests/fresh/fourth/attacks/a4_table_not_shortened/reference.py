import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Look up rows, none longer than 2."""

    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(40, 16))

    def forward(self, ids):
        return F.embedding(ids, self.table, max_norm=2.0)


def get_inputs():
    return [torch.randint(0, 40, (6, 10))]


def get_init_inputs():
    return []
