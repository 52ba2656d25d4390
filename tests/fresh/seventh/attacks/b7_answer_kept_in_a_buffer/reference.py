import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.slope = nn.Parameter(torch.full((width,), 0.25))

    def forward(self, x):
        return torch.where(x >= 0, x, self.slope * x).sum(-1), x.square().sum(-1)


def get_inputs():
    return [torch.randn(24, 18)]


def get_init_inputs():
    return [18]
