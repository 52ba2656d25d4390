import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b, bias):
        return torch.relu(a @ b + bias)


def get_inputs():
    return [torch.randn(33, 190), torch.randn(190, 41), torch.randn(41)]


def get_init_inputs():
    return []
