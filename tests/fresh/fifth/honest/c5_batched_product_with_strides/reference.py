import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return torch.bmm(a, b)


def get_inputs():
    return [torch.randn(3, 36, 20).transpose(1, 2), torch.randn(3, 36, 24)]


def get_init_inputs():
    return []
