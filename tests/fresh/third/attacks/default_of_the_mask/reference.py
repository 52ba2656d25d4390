import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x, residual=None):
        y = torch.relu(x)
        return y if residual is None else y + residual


def get_inputs():
    return [torch.randn(8, 64), torch.randn(8, 64)]


def get_init_inputs():
    return []
