import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a, b)


def get_inputs():
    return [torch.randn(10, 16, 16), torch.randn(10, 16, 16)]


def get_init_inputs():
    return []
