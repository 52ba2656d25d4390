import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.window = 8

    def forward(self, x):
        total = torch.nn.functional.pad(x, (self.window - 1, 0)).unfold(-1, self.window, 1).sum(-1)
        return total / self.window


def get_inputs():
    return [torch.randn(8, 96)]


def get_init_inputs():
    return []
