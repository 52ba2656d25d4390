# large: BATCH=4, LENGTH=2048, HEADS=32, HALF=64
import torch
import torch.nn as nn

BATCH = 2
LENGTH = 7
HEADS = 3
HALF = 16


class Model(nn.Module):
    """Rotary embedding that pairs the halves of a head."""

    def forward(self, x, cos, sin):
        a, b = x.chunk(2, dim=-1)
        cos = cos[None, :, None, :]
        sin = sin[None, :, None, :]
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


def get_inputs():
    angle = torch.rand(LENGTH, HALF) * 6.0
    return [torch.randn(BATCH, LENGTH, HEADS, 2 * HALF), torch.cos(angle), torch.sin(angle)]


def get_init_inputs():
    return []
