import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        p = F.pad(x, (2, 2), mode="reflect")
        return (p[..., :-4] + 4 * p[..., 1:-3] + 6 * p[..., 2:-2] + 4 * p[..., 3:-1] + p[..., 4:]) / 16


def get_inputs():
    return [torch.randn(3, 4, 19)]


def get_init_inputs():
    return []
