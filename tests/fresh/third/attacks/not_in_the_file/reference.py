import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.full((64,), 1.5))

    def forward(self, x):
        return x / self.scale


def get_inputs():
    return [torch.randn(8, 64)]


def get_init_inputs():
    return []
