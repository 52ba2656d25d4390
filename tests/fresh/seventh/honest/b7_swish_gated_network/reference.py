import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.w1 = nn.Parameter(torch.randn(h, d) * 0.2)
        self.w2 = nn.Parameter(torch.randn(d, h) * 0.2)
        self.w3 = nn.Parameter(torch.randn(h, d) * 0.2)

    def forward(self, x):
        return (F.silu(x @ self.w1.T) * (x @ self.w3.T)) @ self.w2.T


def get_inputs():
    return [torch.randn(10, 24)]


def get_init_inputs():
    return [24, 40]
