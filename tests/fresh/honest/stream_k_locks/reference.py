import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return a @ b


def get_inputs():
    return [torch.randn(40, 100), torch.randn(100, 50)]


def get_init_inputs():
    return []
