import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, src, dst, w):
        return torch.zeros_like(x).index_add(0, dst, x[src] * w[:, None])


def get_inputs():
    return [torch.randn(20, 10), torch.randint(0, 20, (70,)), torch.randint(0, 20, (70,)), torch.rand(70)]


def get_init_inputs():
    return []
