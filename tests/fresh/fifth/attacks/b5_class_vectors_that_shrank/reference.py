import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """The cosine classifier of ArcFace and CosFace."""

    def __init__(self, width, classes):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(classes, width) * 0.3)

    def forward(self, x):
        return 16.0 * F.linear(F.normalize(x), F.normalize(self.weight))


def get_inputs():
    return [torch.randn(9, 24)]


def get_init_inputs():
    return [24, 10]
