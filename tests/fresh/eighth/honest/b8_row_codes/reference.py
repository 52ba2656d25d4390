import torch
import torch.nn as nn


class Model(nn.Module):
    """A linear layer whose weights are rounded to eight bits by row in each call."""

    def __init__(self, dim, hidden):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(hidden, dim) * dim**-0.5)
        self.bias = nn.Parameter(torch.randn(hidden))

    def forward(self, x):
        scale = self.weight.abs().amax(1, keepdim=True).clamp(min=1e-8) / 127.0
        weight = torch.round(self.weight / scale) * scale
        return x @ weight.t() + self.bias


def get_inputs():
    return [torch.randn(3, 11, 48)]


def get_init_inputs():
    return [48, 20]
