import torch
import torch.nn as nn


class Model(nn.Module):
    """The row's cheapest entry."""

    def forward(self, cost):
        return cost.argmin(dim=1)


def get_inputs():
    return [torch.stack([torch.randperm(5000)[:40] for _ in range(24)])]


def get_init_inputs():
    return []
