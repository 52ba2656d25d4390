import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.nn.functional.group_norm(x, 4)


def get_inputs():
    return [torch.randn(2, 8, 5, 7)]


def get_init_inputs():
    return []
