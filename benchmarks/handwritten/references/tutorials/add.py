# large: N=67108864
import torch
import torch.nn as nn

N = 5000


class Model(nn.Module):
    """The sum of two vectors."""

    def forward(self, x, y):
        return x + y


def get_inputs():
    return [torch.randn(N), torch.randn(N)]


def get_init_inputs():
    return []
