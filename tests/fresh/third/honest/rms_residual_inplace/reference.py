import torch
import torch.nn as nn


class Model(nn.Module):
    """Add x to the residual in place and return the RMS norm of the sum."""

    def __init__(self, width, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x, residual):
        residual.add_(x)
        scale = torch.rsqrt(residual.pow(2).mean(-1, keepdim=True) + self.eps)
        return residual * scale * self.weight


def get_inputs():
    return [torch.randn(3, 7, 96), torch.randn(3, 7, 96)]


def get_init_inputs():
    return [96, 1e-5]
