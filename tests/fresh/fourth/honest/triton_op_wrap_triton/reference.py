import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x, y):
        return torch.hypot(x, y) + x


def get_inputs():
    return [torch.randn(7, 29), torch.randn(7, 29)]


def get_init_inputs():
    return []
