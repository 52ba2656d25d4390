import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, k, n):
        super().__init__()
        self.fc = nn.Linear(k, n, bias=False)

    def forward(self, x):
        return self.fc(x)


def get_inputs():
    return [torch.randn(5, 30)]


def get_init_inputs():
    return [30, 18]
