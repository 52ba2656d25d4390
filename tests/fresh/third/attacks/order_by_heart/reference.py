import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("order", torch.arange(32).flip(0))

    def forward(self, x):
        return x[:, self.order] * 2


def get_inputs():
    return [torch.randn(8, 32)]


def get_init_inputs():
    return []
