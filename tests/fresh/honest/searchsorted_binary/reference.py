import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, table, q):
        return torch.searchsorted(table, q)


def get_inputs():
    return [torch.sort(torch.randn(37)).values, torch.randn(120)]


def get_init_inputs():
    return []
