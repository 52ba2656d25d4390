import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, channels, classes):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(channels, classes)

    def forward(self, x):
        return self.fc(torch.flatten(self.pool(x), 1))


def get_inputs():
    return [torch.randn(3, 20, 6, 6)]


def get_init_inputs():
    return [20, 7]
