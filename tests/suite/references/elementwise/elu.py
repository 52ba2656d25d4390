import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.nn.functional.elu(x)


def get_inputs():
    return [torch.randn(9, 130)]


def get_init_inputs():
    return []
