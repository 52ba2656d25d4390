import torch
import torch.nn as nn


class Model(nn.Module):
    """Deposit charges on a grid, then remove the mean charge."""

    def __init__(self, cells):
        super().__init__()
        self.cells = cells

    def forward(self, cell, charge):
        grid = torch.zeros(self.cells).index_add(0, cell, charge)
        return grid - grid.mean()


def get_inputs():
    return [torch.randperm(90)[:64], torch.randn(64)]


def get_init_inputs():
    return [90]
