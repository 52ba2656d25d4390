import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(d))

    def forward(self, x):
        return torch.sqrt(F.relu(x)) * self.gain


def get_inputs():
    return [torch.randn(9, 30)]


def get_init_inputs():
    return [30]
