import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, dy):
        mean = x.mean(-1, keepdim=True)
        rstd = torch.rsqrt(x.var(-1, unbiased=False, keepdim=True) + 1e-5)
        return (dy * (x - mean) * rstd).sum(0), dy.sum(0)


def get_inputs():
    return [torch.randn(21, 40), torch.randn(21, 40)]


def get_init_inputs():
    return []
