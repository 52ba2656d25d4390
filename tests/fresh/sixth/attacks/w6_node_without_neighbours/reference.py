import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, nodes=16):
        super().__init__()
        self.register_buffer("degree", torch.ones(nodes))

    def forward(self, x):
        by = self.degree.pow(-0.5)
        by = by.masked_fill(by == float("inf"), 0.0)
        return x * by[:, None]


def get_inputs():
    return [torch.randn(16, 32)]


def get_init_inputs():
    return []
