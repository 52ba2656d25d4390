import torch
import torch.nn as nn


class Model(nn.Module):
    """The order of candidates by falling score; equal ones stay as they came."""

    def __init__(self):
        super().__init__()

    def forward(self, scores):
        return torch.argsort(scores, dim=-1, descending=True, stable=True)


def get_inputs():
    return [torch.randn(7, 40)]


def get_init_inputs():
    return []
