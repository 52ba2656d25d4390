import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, keep):
        super().__init__()
        self.keep = keep

    def forward(self, x):
        if self.training:
            return torch.tanh(x[:, : self.keep]) + 0.0
        return x[:, : self.keep]


def get_inputs():
    return [torch.randn(8, 24)]


def get_init_inputs():
    return [10]
