import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, steps):
        super().__init__()
        self.steps = steps

    def forward(self, u):
        for _ in range(self.steps):
            inner = u[1:-1, 1:-1]
            lap = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * inner
            v = u.clone()
            v[1:-1, 1:-1] = inner + 0.1 * lap
            u = v
        return u


def get_inputs():
    return [torch.randn(14, 17)]


def get_init_inputs():
    return [5]
