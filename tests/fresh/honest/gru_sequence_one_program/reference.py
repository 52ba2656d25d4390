import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, i, h):
        super().__init__()
        self.gru = nn.GRU(i, h, batch_first=True)

    def forward(self, x):
        out, last = self.gru(x)
        return out


def get_inputs():
    return [torch.randn(3, 6, 10)]


def get_init_inputs():
    return [10, 12]
