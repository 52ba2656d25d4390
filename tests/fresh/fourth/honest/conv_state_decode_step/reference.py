import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, channels, taps):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(channels, taps))
        self.bias = nn.Parameter(torch.randn(channels))

    def forward(self, x, state):
        state.copy_(torch.cat([state[:, :, 1:], x[:, :, None]], -1))
        return F.silu((state * self.weight).sum(-1) + self.bias)


def get_inputs():
    return [torch.randn(3, 10), torch.randn(3, 10, 4)]


def get_init_inputs():
    return [10, 4]
