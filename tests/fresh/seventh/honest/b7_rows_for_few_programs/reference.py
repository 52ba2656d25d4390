import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, v):
        return torch.tanh(x @ v)


def get_inputs():
    return [torch.randn(51, 60), torch.randn(60)]


def get_init_inputs():
    return []
