import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x, cos, sin):
        r = cos.shape[-1] * 2
        rot, rest = x[..., :r], x[..., r:]
        a, b = rot.chunk(2, -1)
        c, s = cos[None, :, None, :], sin[None, :, None, :]
        return torch.cat([a * c - b * s, b * c + a * s, rest], -1)


def get_inputs():
    angle = torch.rand(11, 6) * 6
    return [torch.randn(2, 11, 3, 20), angle.cos(), angle.sin()]


def get_init_inputs():
    return []
