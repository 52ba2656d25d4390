# large: N=33554432
import torch
import torch.nn as nn

N = 2000


class Model(nn.Module):
    """A step of gradient descent with momentum and weight decay."""

    def forward(self, p, g, m):
        g = g + 0.01 * p
        m = 0.9 * m + g
        return p - 0.1 * m, m


def get_inputs():
    return [torch.randn(N), torch.randn(N), torch.randn(N)]


def get_init_inputs():
    return []
