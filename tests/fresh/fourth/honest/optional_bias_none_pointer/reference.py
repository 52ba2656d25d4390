import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.one = nn.Linear(a, b, bias=False)
        self.two = nn.Linear(b, a)

    def forward(self, x):
        return self.two(F.relu(self.one(x)))


def get_inputs():
    return [torch.randn(6, 22)]


def get_init_inputs():
    return [22, 19]
