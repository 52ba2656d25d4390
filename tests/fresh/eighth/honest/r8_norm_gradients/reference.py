import torch
import torch.nn as nn


class Model(nn.Module):
    """Gradients of a layer norm for its input, gain and bias."""

    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width))

    def forward(self, x, dy):
        mean = x.mean(-1, keepdim=True)
        by = torch.rsqrt((x - mean).square().mean(-1, keepdim=True) + 1e-3)
        near = (x - mean) * by
        g = dy * self.weight
        dx = by * (g - g.mean(-1, keepdim=True) - near * (g * near).mean(-1, keepdim=True))
        return dx, (dy * near).sum(0), dy.sum(0)


def get_inputs():
    return [torch.randn(35, 40), torch.randn(35, 40)]


def get_init_inputs():
    return [40]
