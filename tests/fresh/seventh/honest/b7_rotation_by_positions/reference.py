import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.register_buffer("rate", 100.0 ** (-torch.arange(0, d, 2) / d))

    def forward(self, x, pos):
        angle = pos[:, :, None].float() * self.rate
        cos, sin = angle.cos()[:, :, None], angle.sin()[:, :, None]
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)


def get_inputs():
    return [torch.randn(2, 9, 3, 16), torch.randint(0, 50, (2, 9))]


def get_init_inputs():
    return [16]
