import torch
import torch.nn as nn


class Model(nn.Module):
    """Mute each row in which any sensor is above its limit."""

    def forward(self, x, alarm):
        return x.masked_fill(alarm.any(dim=1, keepdim=True), 0.0)


def get_inputs():
    return [torch.randn(40, 72), torch.rand(40, 56) < 0.3]


def get_init_inputs():
    return []
