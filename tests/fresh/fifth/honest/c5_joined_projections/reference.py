import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)

    def forward(self, x):
        return self.query(x), self.key(x), self.value(x)


def get_inputs():
    return [torch.randn(20, 24)]


def get_init_inputs():
    return [24]
