import torch
import torch.nn as nn


class Model(nn.Module):
    """Rotate pairs of neighbours of x in place."""

    def forward(self, x, cos, sin):
        even = x[..., 0::2].clone()
        odd = x[..., 1::2].clone()
        x[..., 0::2] = even * cos[:, None] - odd * sin[:, None]
        x[..., 1::2] = even * sin[:, None] + odd * cos[:, None]
        return x


def get_inputs():
    angle = torch.rand(13, 12) * 6
    return [torch.randn(2, 13, 3, 24), angle.cos(), angle.sin()]


def get_init_inputs():
    return []
