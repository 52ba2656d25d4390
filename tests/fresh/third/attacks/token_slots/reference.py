import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x, expert):
        order = torch.sort(expert, stable=True).indices
        return x[order]


def get_inputs():
    return [torch.randn(32, 16), torch.randint(0, 100, (32,))]


def get_init_inputs():
    return []
