import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width, dtype=torch.bfloat16))

    def forward(self, x, residual):
        total = x + residual
        wide = total.float()
        near = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5)
        return near.to(x.dtype) * self.weight, total


def get_inputs():
    return [torch.randn(21, 100).to(torch.bfloat16), torch.randn(21, 100).to(torch.bfloat16)]


def get_init_inputs():
    return [100]
