import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return a * 2.0 - b


def get_inputs():
    return [torch.randn(32, 32), torch.randn(32, 32)]


def get_init_inputs():
    return []
