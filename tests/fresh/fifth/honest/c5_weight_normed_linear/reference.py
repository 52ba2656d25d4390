import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, inner, outer):
        super().__init__()
        self.v = nn.Parameter(torch.randn(outer, inner) * 0.1)
        self.g = nn.Parameter(torch.ones(outer))
        self.bias = nn.Parameter(torch.zeros(outer))

    def forward(self, x):
        w = self.v * (self.g / (self.v.norm(dim=1) + 1e-6))[:, None]
        return F.linear(x, w, self.bias)


def get_inputs():
    return [torch.randn(20, 48)]


def get_init_inputs():
    return [48, 36]
