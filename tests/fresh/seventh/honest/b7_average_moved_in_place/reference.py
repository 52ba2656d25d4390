import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.register_buffer("average", torch.zeros(c))

    def forward(self, x):
        self.average.mul_(0.75).add_(x.mean(0), alpha=0.25)
        return x - self.average


def get_inputs():
    return [torch.randn(14, 22)]


def get_init_inputs():
    return [22]
