import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width, dtype=torch.bfloat16))

    def forward(self, x, residual):
        residual = x + residual
        h = residual.float()
        h = h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6)
        return (h * self.weight.float()).to(x.dtype), residual


def get_inputs():
    return [torch.randn(9, 40, dtype=torch.bfloat16), torch.randn(9, 40, dtype=torch.bfloat16)]


def get_init_inputs():
    return [40]
