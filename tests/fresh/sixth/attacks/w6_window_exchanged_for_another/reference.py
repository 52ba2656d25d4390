import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, size=32, hop=16):
        super().__init__()
        self.size, self.hop = size, hop
        self.register_buffer("window", 0.5 - (torch.arange(size).float() * (6.283185307179586 / size)).cos().mul(0.5), persistent=False)

    def forward(self, x):
        return (x.unfold(-1, self.size, self.hop) * self.window).square().sum(-1)


def get_inputs():
    return [torch.randn(4, 256)]


def get_init_inputs():
    return []
