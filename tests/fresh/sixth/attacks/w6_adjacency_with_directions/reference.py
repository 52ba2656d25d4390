import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, nodes=16):
        super().__init__()
        i = torch.arange(nodes).float()
        self.register_buffer("adjacency", torch.exp(-((i[:, None] - i[None]).abs() / 3)) + 0.1 * (i[:, None] * i[None]).sin())

    def forward(self, x):
        return self.adjacency @ x


def get_inputs():
    return [torch.randn(16, 16)]


def get_init_inputs():
    return []
