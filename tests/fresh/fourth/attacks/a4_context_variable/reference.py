import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.softmax(x * 0.5, dim=1)


def get_inputs():
    return [torch.randn(24, 48)]


def get_init_inputs():
    return []
