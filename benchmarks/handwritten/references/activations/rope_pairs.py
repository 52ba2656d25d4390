# large: TOKENS=65536, HALF=64
import torch
import torch.nn as nn

TOKENS = 12
HALF = 32


class Model(nn.Module):
    """Rotary embedding that pairs neighbours."""

    def forward(self, x, cos, sin):
        a, b = x[:, 0::2], x[:, 1::2]
        return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(1)


def get_inputs():
    angle = torch.rand(TOKENS, HALF) * 6.0
    return [torch.randn(TOKENS, 2 * HALF), torch.cos(angle), torch.sin(angle)]


def get_init_inputs():
    return []
