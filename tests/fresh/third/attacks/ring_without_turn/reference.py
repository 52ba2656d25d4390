import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("kept", torch.zeros(64, 16))
        self.register_buffer("at", torch.zeros((), dtype=torch.int64))

    def forward(self, x):
        self.kept[self.at % 64] = x
        self.at += 1
        return self.kept.mean(0)


def get_inputs():
    return [torch.randn(16)]


def get_init_inputs():
    return []
