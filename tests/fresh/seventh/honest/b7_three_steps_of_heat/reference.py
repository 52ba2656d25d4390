import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, u):
        for _ in range(3):
            u = u + 0.1 * (u.roll(1, 0) + u.roll(-1, 0) + u.roll(1, 1) + u.roll(-1, 1) - 4 * u)
        return u


def get_inputs():
    return [torch.randn(18, 22)]


def get_init_inputs():
    return []
