import math

import torch
import torch.nn as nn


class Model(nn.Module):
    """Elementwise: log-cosh of the difference, in a form that does not overflow."""

    def forward(self, x, y):
        d = (x - y).abs()
        return d + torch.log1p(torch.exp(-2 * d)) - math.log(2.0)


def get_inputs():
    return [torch.randn(3, 4, 19), torch.randn(3, 4, 19)]


def get_init_inputs():
    return []
