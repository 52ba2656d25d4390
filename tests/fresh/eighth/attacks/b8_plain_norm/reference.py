import torch
import torch.nn as nn


class Model(nn.Module):
    """Layer normalization of queries by head, then a rotation of halves by given angles."""

    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)

    def forward(self, q, angle):
        a, b = self.norm(q).chunk(2, dim=-1)
        c, s = angle.cos(), angle.sin()
        return torch.cat([a * c - b * s, b * c + a * s], dim=-1)


def get_inputs():
    return [torch.randn(3, 20, 32), torch.rand(20, 16) * 6]


def get_init_inputs():
    return [32]
