import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, power):
        super().__init__()
        self.power = power

    def forward(self, x):
        y = x.clamp(min=1e-3)
        for _ in range(self.power - 1):
            y = y * x.clamp(min=1e-3)
        return y.mean((-2, -1))


def get_inputs():
    return [torch.rand(4, 6, 5, 7)]


def get_init_inputs():
    return [3]
