import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))

    def forward(self, x, gate):
        h = x * torch.sigmoid(gate)
        return h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6) * self.gain


def get_inputs():
    return [torch.randn(4, 6, 48), torch.randn(4, 6, 48)]


def get_init_inputs():
    return [48]
