import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, inner, outer):
        super().__init__()
        self.fc = nn.Linear(inner, outer)

    def forward(self, x):
        return self.fc(x)


def get_inputs():
    return [torch.randn(12, 300)]


def get_init_inputs():
    return [300, 40]
