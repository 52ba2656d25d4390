import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, a, b):
        return torch.stack([a[..., 0] * b[..., 0] - a[..., 1] * b[..., 1], a[..., 0] * b[..., 1] + a[..., 1] * b[..., 0]], -1)


def get_inputs():
    return [torch.randn(5, 19, 2), torch.randn(5, 19, 2)]


def get_init_inputs():
    return []
