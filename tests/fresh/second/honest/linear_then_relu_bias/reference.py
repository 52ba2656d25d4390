import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width, hidden) * 0.1)
        self.bias = nn.Parameter(torch.randn(hidden) * 0.1)

    def forward(self, x):
        return torch.relu(x @ self.weight + self.bias)


def get_inputs():
    return [torch.randn(10, 24)]


def get_init_inputs():
    return [24, 33]
