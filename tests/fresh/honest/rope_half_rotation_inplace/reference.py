import torch
import torch.nn as nn


def rotate_half(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat((-b, a), dim=-1)


class Model(nn.Module):
    def forward(self, q, k, cos, sin):
        c, s = cos[:, None, :], sin[:, None, :]
        q.copy_(q * c + rotate_half(q) * s)
        k.copy_(k * c + rotate_half(k) * s)
        return q, k


def get_inputs():
    t, d = 13, 24
    angle = torch.outer(torch.arange(t).float(), 10000.0 ** (-torch.arange(0, d, 2).float() / d))
    angle = torch.cat((angle, angle), -1)
    return [torch.randn(t, 4, d), torch.randn(t, 2, d), angle.cos(), angle.sin()]


def get_init_inputs():
    return []
