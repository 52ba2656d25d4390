import torch
import torch.nn as nn
import torch.nn.functional as F

batch = 12
width = 20
hidden = 36


class Model(nn.Module):
    """Two linear layers with GELU between."""

    def __init__(self, width: int, hidden: int):
        super().__init__()
        self.fc1 = nn.Linear(width, hidden)
        self.fc2 = nn.Linear(hidden, width)

    def forward(self, x):
        return self.fc2(F.gelu(self.fc1(x)))


def get_inputs():
    return [torch.randn(batch, width)]


def get_init_inputs():
    return [width, hidden]
