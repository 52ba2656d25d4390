import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def forward(self, x):
        if self.training:
            return x * self.factor
        return x


def get_inputs():
    return [torch.randn(140)]


def get_init_inputs():
    return [1.25]
