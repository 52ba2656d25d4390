import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.first = nn.Linear(dim, dim, bias=False)
        self.second = nn.Linear(dim, dim, bias=True)

    def forward(self, x):
        return self.second(self.first(x))


def get_inputs():
    return [torch.randn(7, 32)]


def get_init_inputs():
    return [32]
