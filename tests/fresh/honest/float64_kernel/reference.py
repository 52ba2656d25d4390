import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return ((0.5 * x - 1.25) * x + 3.0) * x + 0.125


def get_inputs():
    return [torch.randn(200, dtype=torch.float64)]


def get_init_inputs():
    return []
