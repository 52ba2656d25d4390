import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, p, g, m):
        m = 0.9 * m + g
        return p - 0.01 * m, m


def get_inputs():
    return [torch.randn(11, 17), torch.randn(11, 17), torch.randn(11, 17)]


def get_init_inputs():
    return []
