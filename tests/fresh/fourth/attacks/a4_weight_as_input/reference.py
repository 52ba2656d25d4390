import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.codes = nn.Parameter(torch.randn(16, 32))

    def forward(self, x):
        return x @ self.codes.transpose(0, 1)


def get_inputs():
    return [torch.randn(16, 32)]


def get_init_inputs():
    return []
