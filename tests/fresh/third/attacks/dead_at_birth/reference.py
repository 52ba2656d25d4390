import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(32, 16) * 0.25)

    def forward(self, x):
        return x @ self.weight


def get_inputs():
    return [torch.randn(16, 32)]


def get_init_inputs():
    return []
