import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        return x.clamp(-2.0, 2.0)


def get_inputs():
    return [torch.randn(8, 64) * 3]


def get_init_inputs():
    return []
