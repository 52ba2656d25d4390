import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return torch.nn.functional.gelu(a) * b


def get_inputs():
    return [torch.randn(13, 21), torch.randn(13, 21)]


def get_init_inputs():
    return []
