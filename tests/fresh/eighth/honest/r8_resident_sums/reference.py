import torch
import torch.nn as nn


class Model(nn.Module):
    """Squared distances between rows and centres."""

    def __init__(self, centres, width):
        super().__init__()
        self.centres = nn.Parameter(torch.randn(centres, width))

    def forward(self, x):
        return (x[:, None, :] - self.centres[None]).square().sum(-1)


def get_inputs():
    return [torch.randn(50, 28)]


def get_init_inputs():
    return [18, 28]
