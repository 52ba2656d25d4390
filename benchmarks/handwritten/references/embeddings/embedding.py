# large: TOKENS=32768, VOCABULARY=50000, WIDTH=1024
import torch
import torch.nn as nn
import torch.nn.functional as F

TOKENS = 12
VOCABULARY = 30
WIDTH = 72


class Model(nn.Module):
    """Rows of a table."""

    def forward(self, index, table):
        return F.embedding(index, table)


def get_inputs():
    return [torch.randint(0, VOCABULARY, (TOKENS,)), torch.randn(VOCABULARY, WIDTH)]


def get_init_inputs():
    return []
