import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, a, b):
        s = a + b
        t = s - a
        return s, (a - (s - t)) + (b - t)


def get_inputs():
    return [torch.randn(4, 128), torch.randn(4, 128)]


def get_init_inputs():
    return []
