import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, inner, outer):
        super().__init__()
        self.weight = nn.Parameter((torch.randn(outer, inner) * inner**-0.5).half())
        self.bias = nn.Parameter(torch.zeros(outer).half())

    def forward(self, x):
        return F.gelu(F.linear(x, self.weight, self.bias), approximate="tanh")


def get_inputs():
    return [torch.randn(50, 64).half()]


def get_init_inputs():
    return [64, 72]
