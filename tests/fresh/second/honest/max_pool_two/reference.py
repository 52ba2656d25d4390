import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.nn.functional.max_pool2d(x, 2)


def get_inputs():
    return [torch.randn(2, 3, 13, 10)]


def get_init_inputs():
    return []
