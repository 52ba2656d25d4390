import torch
import torch.nn as nn


class Model(nn.Module):
    """An order-free fingerprint of a set of keys: their product modulo a prime."""

    def forward(self, keys):
        x = (keys * 2 + 1) % 65521
        while x.shape[0] > 1:
            half = x.shape[0] // 2
            x = x[:half] * x[half:] % 65521
        return x


def get_inputs():
    return [torch.randint(0, 30000, (512,))]


def get_init_inputs():
    return []
