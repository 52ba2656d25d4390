import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.register_buffer("average", torch.zeros(width))

    def forward(self, x):
        self.average.mul_(0.75).add_(x.mean(0), alpha=0.25)
        return x - self.average


def get_inputs():
    return [torch.randn(14, 21)]


def get_init_inputs():
    return [21]
