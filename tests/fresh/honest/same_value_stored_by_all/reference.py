import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, scale):
        return x * scale, scale * 2


def get_inputs():
    return [torch.randn(500), torch.randn(1)]


def get_init_inputs():
    return []
