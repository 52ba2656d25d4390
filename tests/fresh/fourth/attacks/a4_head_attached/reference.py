import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x.var(dim=1)


def get_inputs():
    return [torch.randn(32, 16)]


def get_init_inputs():
    return []
