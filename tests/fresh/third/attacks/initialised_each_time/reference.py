import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.randn(64).exp())
        self.register_buffer("done", torch.zeros((), dtype=torch.bool))

    def forward(self, x):
        found = 1 / (x.abs().mean(0) + 0.1)
        self.scale.copy_(torch.where(self.done, self.scale, found))
        self.done.fill_(True)
        return x * self.scale


def get_inputs():
    return [torch.randn(8, 64)]


def get_init_inputs():
    return []
