import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Two layers in bf16 with GELU between them."""

    def __init__(self):
        super().__init__()
        self.up = nn.Parameter((torch.randn(64, 32) * 0.2).bfloat16())
        self.down = nn.Parameter((torch.randn(32, 64) * 0.2).bfloat16())

    def forward(self, x):
        return F.linear(F.gelu(F.linear(x, self.up)), self.down)


def get_inputs():
    return [torch.randn(16, 32).bfloat16()]


def get_init_inputs():
    return []
