import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        x = x.abs().clamp(max=1.0)
        for _ in range(60):
            x = 3.9375 * (x * (1 - x))
        return x


def get_inputs():
    return [torch.rand(8, 64)]


def get_init_inputs():
    return []
