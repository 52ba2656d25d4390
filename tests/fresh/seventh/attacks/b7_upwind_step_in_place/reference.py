import torch
import torch.nn as nn


class Model(nn.Module):
    """One upwind step of advection, in place; the last row is the inflow."""

    def forward(self, field, speed):
        field[:-1] += speed * (field[1:] - field[:-1])
        return field


def get_inputs():
    return [torch.rand(65, 16), torch.rand(16) * 0.9]


def get_init_inputs():
    return []
