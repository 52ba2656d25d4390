import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.register_buffer("edges", torch.linspace(-2, 2, count))

    def forward(self, x):
        return torch.bucketize(x, self.edges), torch.searchsorted(self.edges, x, right=True).to(torch.int32)


def get_inputs():
    return [torch.randn(9, 31)]


def get_init_inputs():
    return [11]
