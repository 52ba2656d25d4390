import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, left, right, out):
        super().__init__()
        self.bilinear = nn.Bilinear(left, right, out)

    def forward(self, x, y):
        return self.bilinear(x, y)


def get_inputs():
    return [torch.randn(9, 12), torch.randn(9, 15)]


def get_init_inputs():
    return [12, 15, 6]
