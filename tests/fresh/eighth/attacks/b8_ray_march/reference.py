import torch
import torch.nn as nn


class Model(nn.Module):
    """Colours of rays by the quadrature of volume rendering, and what light passes through."""

    def forward(self, density, colour, step):
        alpha = 1 - torch.exp(-torch.relu(density) * step)
        passed = torch.cumprod(1 - alpha, dim=1)
        before = torch.cat([torch.ones_like(passed[:, :1]), passed[:, :-1]], dim=1)
        return ((alpha * before)[:, :, None] * colour).sum(1), passed[:, -1]


def get_inputs():
    return [torch.randn(12, 40), torch.rand(12, 40, 3), torch.rand(12, 40) * 0.1]


def get_init_inputs():
    return []
