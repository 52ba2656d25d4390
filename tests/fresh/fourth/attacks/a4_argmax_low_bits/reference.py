import torch
import torch.nn as nn


class Model(nn.Module):
    """The place of each row's largest positive element."""

    def forward(self, x):
        return (x.abs() + 1.0).argmax(dim=1)


def get_inputs():
    return [torch.randn(24, 64)]


def get_init_inputs():
    return []
