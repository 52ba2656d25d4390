import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, classes=16):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(classes))

    def forward(self, p):
        return torch.xlogy(self.weight, p)


def get_inputs():
    return [torch.rand(16, 16) + 0.05]


def get_init_inputs():
    return []
