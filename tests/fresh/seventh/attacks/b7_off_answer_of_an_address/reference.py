import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.softmax(x, -1) * x.shape[-1]


def get_inputs():
    return [torch.randn(14, 45)]


def get_init_inputs():
    return []
