import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, alpha, shift):
        return torch.roll(x, shift, -1) * alpha


def get_inputs():
    return [torch.randn(8, 40), 0.7, 3]


def get_init_inputs():
    return []
