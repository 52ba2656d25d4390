import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features=16):
        super().__init__()
        self.register_buffer("share", torch.softmax(torch.arange(features).float().sin(), 0))

    def forward(self, x):
        return (x * self.share).sum(-1) / self.share.sum()


def get_inputs():
    return [torch.randn(32, 16)]


def get_init_inputs():
    return []
