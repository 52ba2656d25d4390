import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        return F.hardshrink((x[:, ::2] + x[:, 1::2]) / 2, 0.375)


def get_inputs():
    return [torch.randn(8, 64)]


def get_init_inputs():
    return []
