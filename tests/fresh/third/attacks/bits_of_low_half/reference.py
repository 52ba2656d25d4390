import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, a, b):
        x = a ^ b
        total = torch.zeros_like(x)
        for shift in range(63):
            total = total + ((x >> shift) & 1)
        return total


def get_inputs():
    return [torch.randint(0, 2**31, (8, 32)), torch.randint(0, 2**31, (8, 32))]


def get_init_inputs():
    return []
