import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x, scale):
        y = x * scale
        y = (y + 12582912.0) - 12582912.0
        return y / scale


def get_inputs():
    return [torch.randn(8, 64), torch.rand(8, 1) * 20 + 1]


def get_init_inputs():
    return []
