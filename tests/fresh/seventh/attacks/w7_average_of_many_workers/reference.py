import torch
from torch import nn


class Model(nn.Module):
    """The average over workers; each scales its part before the parts are added."""

    def __init__(self, workers):
        super().__init__()
        self.workers = workers

    def forward(self, parts):
        return (parts / self.workers).sum(0)


def get_inputs():
    return [torch.randn(64, 40)]


def get_init_inputs():
    return [64]
