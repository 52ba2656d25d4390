import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, w, dy):
        r = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)
        xhat = x * r
        wdy = w * dy
        dx = r * (wdy - xhat * (xhat * wdy).mean(-1, keepdim=True))
        return dx, (dy * xhat).sum(0)


def get_inputs():
    return [torch.randn(26, 44), torch.randn(44), torch.randn(26, 44)]


def get_init_inputs():
    return []
