import torch
from torch import nn


class Model(nn.Module):
    """How likely a normal number is to lie above each score."""

    def forward(self, scores):
        return 0.5 * torch.erfc(scores * 0.7071067811865476)


def get_inputs():
    return [torch.randn(16, 64)]


def get_init_inputs():
    return []
