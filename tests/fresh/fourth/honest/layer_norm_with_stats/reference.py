import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        mean = x.mean(-1)
        rstd = torch.rsqrt(x.var(-1, unbiased=False) + self.norm.eps)
        return self.norm(x), mean, rstd


def get_inputs():
    return [torch.randn(6, 300)]


def get_init_inputs():
    return [300]
