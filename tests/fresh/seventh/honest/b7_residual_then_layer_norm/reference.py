import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.ln = nn.LayerNorm(c, eps=1e-6)

    def forward(self, x, r):
        s = x + r
        return self.ln(s), s


def get_inputs():
    return [torch.randn(3, 11, 70), torch.randn(3, 11, 70)]


def get_init_inputs():
    return [70]
