import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        a, b = x.chunk(2, dim=-1)
        return F.gelu(a, approximate="tanh") * b


def get_inputs():
    return [torch.randn(14, 2 * 37)]


def get_init_inputs():
    return []
