import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, perm):
        g = torch.gather(x, 1, perm)
        s = torch.zeros_like(x).scatter(1, perm, x)
        return g, s


def get_inputs():
    return [torch.randn(6, 30), torch.argsort(torch.rand(6, 30), dim=1)]


def get_init_inputs():
    return []
