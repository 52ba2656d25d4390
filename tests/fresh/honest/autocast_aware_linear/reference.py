import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.fc = nn.Linear(i, o)

    def forward(self, x):
        return self.fc(x)


def get_inputs():
    return [torch.randn(10, 32)]


def get_init_inputs():
    return [32, 20]
