import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("edges", torch.tensor([-1.5, -0.5, 0.0, 0.75, 2.0]))
        self.scale = nn.Parameter(torch.rand(6) + 0.5)

    def forward(self, x):
        bins = torch.bucketize(x, self.edges, right=True)
        return x * self.scale[bins], bins


def get_inputs():
    return [torch.randn(13, 17)]


def get_init_inputs():
    return []
