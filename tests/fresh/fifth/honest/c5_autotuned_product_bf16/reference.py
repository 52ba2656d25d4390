import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return a @ b


def get_inputs():
    return [torch.randn(40, 48).bfloat16(), torch.randn(48, 56).bfloat16()]


def get_init_inputs():
    return []
