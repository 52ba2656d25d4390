import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Batch norm and ReLU."""

    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm1d(channels)

    def forward(self, x):
        return F.relu(self.norm(x))


def get_inputs():
    return [torch.randn(30, 8) * 2.0 + 0.5]


def get_init_inputs():
    return [8]
