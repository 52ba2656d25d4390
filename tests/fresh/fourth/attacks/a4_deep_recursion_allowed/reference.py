import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return torch.minimum(a, b)


def get_inputs():
    return [torch.randn(24, 64), torch.randn(24, 64)]


def get_init_inputs():
    return []
