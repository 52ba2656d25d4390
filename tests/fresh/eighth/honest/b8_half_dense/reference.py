import torch
import torch.nn as nn


class Model(nn.Module):
    """A dense layer on half inputs that accumulates in float32, then ReLU."""

    def __init__(self, dim, hidden):
        super().__init__()
        self.weight = nn.Parameter((torch.randn(hidden, dim) * dim**-0.5).half())
        self.bias = nn.Parameter(torch.zeros(hidden))

    def forward(self, x):
        y = x.float() @ self.weight.float().t() + self.bias
        return torch.relu(y).half()


def get_inputs():
    return [torch.randn(18, 160).half()]


def get_init_inputs():
    return [160, 34]
