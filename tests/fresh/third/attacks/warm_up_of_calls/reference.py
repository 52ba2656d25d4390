import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))

    def forward(self, x):
        self.calls += 1
        return x * (self.calls / (self.calls + 10.0))


def get_inputs():
    return [torch.randn(8, 64)]


def get_init_inputs():
    return []
