import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.gamma = nn.Parameter(torch.full((d,), 0.1))
        self.drop = nn.Dropout(0.0)

    def forward(self, x, branch):
        return x + self.drop(self.gamma * branch)


def get_inputs():
    return [torch.randn(5, 6, 24), torch.randn(5, 6, 24)]


def get_init_inputs():
    return [24]
