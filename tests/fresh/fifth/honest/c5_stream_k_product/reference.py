import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return a @ b


def get_inputs():
    return [torch.randn(40, 70), torch.randn(70, 50)]


def get_init_inputs():
    return []
