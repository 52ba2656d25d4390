import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, a, b):
        return F.silu(a) * b


def get_inputs():
    return [torch.randn(2, 9, 72), torch.randn(2, 9, 72)]


def get_init_inputs():
    return []
