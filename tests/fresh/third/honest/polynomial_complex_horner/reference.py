import torch
import torch.nn as nn


class Model(nn.Module):
    """A real polynomial at complex points that are given as pairs; the parts are returned as pairs."""

    def __init__(self, degree):
        super().__init__()
        self.c = nn.Parameter(torch.linspace(-1, 1, degree + 1))

    def forward(self, z):
        re, im = z.unbind(-1)
        a = torch.zeros_like(re) + self.c[0]
        b = torch.zeros_like(im)
        for i in range(1, self.c.shape[0]):
            a, b = a * re - b * im + self.c[i], a * im + b * re
        return torch.stack([a, b], -1)


def get_inputs():
    return [torch.randn(6, 15, 2)]


def get_init_inputs():
    return [4]
