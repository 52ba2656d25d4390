import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(16, 16) for _ in range(3)])

    def forward(self, x):
        for block in self.blocks:
            x = torch.relu(block(x))
        return x


def get_inputs():
    return [torch.randn(16, 16)]


def get_init_inputs():
    return []
