import torch
import torch.nn as nn


class Model(nn.Module):
    """Turn each ring by the number of steps."""

    def forward(self, x, steps):
        place = (torch.arange(x.shape[1], device=x.device) - steps) % x.shape[1]
        return x[:, place]


def get_inputs():
    return [torch.randn(16, 64), torch.randint(0, 64, (1,))]


def get_init_inputs():
    return []
