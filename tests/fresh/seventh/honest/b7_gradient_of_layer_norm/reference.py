import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, dy, x, gain):
        mean = x.mean(-1, keepdim=True)
        inv = torch.rsqrt((x - mean).square().mean(-1, keepdim=True) + 1e-5)
        h = (x - mean) * inv
        w = dy * gain
        dx = inv * (w - w.mean(-1, keepdim=True) - h * (w * h).mean(-1, keepdim=True))
        return dx, (dy * h).sum(0), dy.sum(0)


def get_inputs():
    return [torch.randn(15, 36), torch.randn(15, 36), torch.rand(36) + 0.5]


def get_init_inputs():
    return []
