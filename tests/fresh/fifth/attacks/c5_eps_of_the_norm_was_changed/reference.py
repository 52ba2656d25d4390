import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def forward(self, x, residual):
        x = x + residual
        return self.norm(x), x


def get_inputs():
    return [torch.randn(5, 6, 48), torch.randn(5, 6, 48)]


def get_init_inputs():
    return [48]
