import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        bits = x.view(torch.int32)
        exponent = ((bits >> 23) & 0xFF) - 127
        return exponent, bits & 0x7FFFFF


def get_inputs():
    return [torch.randn(150)]


def get_init_inputs():
    return []
