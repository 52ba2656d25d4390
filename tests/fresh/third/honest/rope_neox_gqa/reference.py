import torch
import torch.nn as nn


class Model(nn.Module):
    """Rotary embedding (halves) of queries and keys with different numbers of heads, by given positions."""

    def __init__(self, dim, limit):
        super().__init__()
        inv = 10000.0 ** (-torch.arange(0, dim, 2).float() / dim)
        angle = torch.arange(limit).float()[:, None] * inv
        self.register_buffer("cos", angle.cos())
        self.register_buffer("sin", angle.sin())

    def forward(self, q, k, positions):
        cos = self.cos[positions][:, None]
        sin = self.sin[positions][:, None]

        def rotate(x):
            a, b = x.chunk(2, -1)
            return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)

        return rotate(q), rotate(k)


def get_inputs():
    fused = torch.randn(11, 6, 32)
    return [fused[:, :4], fused[:, 4:], torch.randint(0, 40, (11,))]


def get_init_inputs():
    return [32, 40]
