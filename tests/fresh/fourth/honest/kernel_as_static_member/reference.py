import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.sharp = nn.Parameter(torch.tensor([1.3]))

    def forward(self, x):
        y = x * self.sharp
        return y / (1 + y.abs())


def get_inputs():
    return [torch.randn(4, 5, 11)]


def get_init_inputs():
    return []
