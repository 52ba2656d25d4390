import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.dim = dim
        self.register_buffer("inv_freq", 10000.0 ** (-torch.arange(0, dim, 2).float() / dim), persistent=False)

    def forward(self, x):
        angle = torch.arange(x.shape[1], device=x.device).float()[:, None] * self.inv_freq
        a, b = x.chunk(2, -1)
        return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], -1)


def get_inputs():
    return [torch.randn(4, 24, 16)]


def get_init_inputs():
    return []
