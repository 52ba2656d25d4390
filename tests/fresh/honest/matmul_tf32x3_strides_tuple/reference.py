import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return a.t() @ b


def get_inputs():
    return [torch.randn(48, 34), torch.randn(48, 29)]


def get_init_inputs():
    return []
