import torch
import torch.nn as nn


class Model(nn.Module):
    """Scale by a rate that falls in cycles of 1500 steps."""

    def forward(self, x, step):
        part = (step % 1500).float() / 1500.0
        return x * (0.1 + 0.9 * (1.0 - part))


def get_inputs():
    return [torch.randn(32, 64), torch.randint(0, 1500, (1,))]


def get_init_inputs():
    return []
