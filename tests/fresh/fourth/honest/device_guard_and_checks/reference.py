import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x, y):
        return torch.lerp(x, y, 0.3)


def get_inputs():
    return [torch.randn(5, 40), torch.randn(5, 40)]


def get_init_inputs():
    return []
