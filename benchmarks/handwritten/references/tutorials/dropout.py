# large: N=33554432
import torch
import torch.nn as nn

N = 3000


class Model(nn.Module):
    """Dropout by a mask that the caller drew."""

    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x, keep):
        return torch.where(keep > self.p, x / (1.0 - self.p), 0.0)


def get_inputs():
    return [torch.randn(N), torch.rand(N)]


def get_init_inputs():
    return [0.25]
