import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, a, b):
        return F.silu(a) * b


def get_inputs():
    return [torch.randn(3, 12, 20).transpose(1, 2), torch.randn(3, 20, 12)]


def get_init_inputs():
    return []
