import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(o, i) * 0.1)

    def forward(self, x):
        return F.linear(x, self.weight)


def get_inputs():
    return [torch.randn(5, 30)]


def get_init_inputs():
    return [30, 18]
