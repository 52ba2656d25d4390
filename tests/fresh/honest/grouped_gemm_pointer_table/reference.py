import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a0, b0, a1, b1):
        return [a0 @ b0, a1 @ b1]


def get_inputs():
    return [torch.randn(32, 48), torch.randn(48, 16), torch.randn(40, 32), torch.randn(32, 24)]


def get_init_inputs():
    return []
