import torch
import torch.nn as nn


class Model(nn.Module):
    """Primer's feed-forward entry: a projection and a squared ReLU."""

    def __init__(self, dim, hidden):
        super().__init__()
        self.up = nn.Linear(dim, hidden)

    def forward(self, x):
        return torch.relu(self.up(x)).square()


def get_inputs():
    return [torch.randn(20, 48)]


def get_init_inputs():
    return [48, 40]
