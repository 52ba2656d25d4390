import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gamma = nn.Parameter(torch.full((width,), 0.1))

    def forward(self, x, h):
        return x + self.gamma * (h * torch.sigmoid(1.702 * h))


def get_inputs():
    return [torch.randn(3, 8, 45), torch.randn(3, 8, 45)]


def get_init_inputs():
    return [45]
