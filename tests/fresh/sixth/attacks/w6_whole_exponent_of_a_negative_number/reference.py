import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = nn.Parameter(torch.tensor(3.0))

    def forward(self, x):
        return torch.pow(x, self.p)


def get_inputs():
    return [torch.rand(16, 32) + 0.5]


def get_init_inputs():
    return []
