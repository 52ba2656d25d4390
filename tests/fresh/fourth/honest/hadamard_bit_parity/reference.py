import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        n = x.shape[-1]
        h = 1
        while h < n:
            y = x.view(*x.shape[:-1], n // (2 * h), 2, h)
            x = torch.stack([y[..., 0, :] + y[..., 1, :], y[..., 0, :] - y[..., 1, :]], -2).reshape(x.shape)
            h *= 2
        return x / n ** 0.5


def get_inputs():
    return [torch.randn(6, 32)]


def get_init_inputs():
    return []
