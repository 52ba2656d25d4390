import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, c, classes):
        super().__init__()
        self.centers = nn.Parameter(torch.randn(classes, c))
        self.scale = nn.Parameter(torch.tensor(4.0))

    def forward(self, x):
        return self.scale * F.normalize(x, dim=-1) @ F.normalize(self.centers, dim=-1).T


def get_inputs():
    return [torch.randn(12, 16)]


def get_init_inputs():
    return [16, 9]
