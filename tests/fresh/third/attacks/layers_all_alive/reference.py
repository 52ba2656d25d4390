import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("pruned", torch.zeros(8, dtype=torch.bool))

    def forward(self, x):
        return x.masked_fill(self.pruned[:, None], 0.0) * 0.5


def get_inputs():
    return [torch.randn(4, 8, 16)]


def get_init_inputs():
    return []
