import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x - x.mean(-1, keepdim=True), None


def get_inputs():
    return [torch.randn(9, 25)]


def get_init_inputs():
    return []
