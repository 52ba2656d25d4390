import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return torch.bmm(a, b)


def get_inputs():
    return [torch.randn(3, 33, 48), torch.randn(3, 48, 20)]


def get_init_inputs():
    return []
