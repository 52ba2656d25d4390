import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        value, gate = x.float().chunk(2, dim=-1)
        return (value * F.gelu(gate)).bfloat16()


def get_inputs():
    return [torch.randn(9, 11, 80).bfloat16()]


def get_init_inputs():
    return []
