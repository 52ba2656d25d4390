import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        high = x.bfloat16().float()
        low = (x - high).bfloat16().float()
        return torch.stack((high, low))


def get_inputs():
    return [torch.randn(4, 128)]


def get_init_inputs():
    return []
