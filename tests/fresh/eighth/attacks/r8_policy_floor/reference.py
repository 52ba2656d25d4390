import torch
import torch.nn as nn


class Model(nn.Module):
    """Action probabilities of a linear policy, none of them zero."""

    def __init__(self, width, actions, floor):
        super().__init__()
        self.head = nn.Linear(width, actions)
        self.floor = floor

    def forward(self, x):
        return torch.softmax(self.head(x), dim=-1) + self.floor


def get_inputs():
    return [torch.randn(20, 24)]


def get_init_inputs():
    return [24, 12, 1e-7]
