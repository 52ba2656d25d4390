import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return a @ b


def get_inputs():
    return [torch.randn(33, 90), torch.randn(90, 40)]


def get_init_inputs():
    return []
