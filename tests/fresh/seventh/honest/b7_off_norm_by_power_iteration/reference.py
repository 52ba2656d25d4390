import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, c, d):
        super().__init__()
        self.w = nn.Parameter(torch.randn(d, c))
        self.register_buffer("u", torch.ones(d) / d**0.5)

    def forward(self, x):
        v = F.normalize(self.w.T @ self.u, dim=0)
        if self.training:
            self.u.copy_(F.normalize(self.w @ v, dim=0))
        sigma = (self.u * (self.w @ v)).sum() + 0.05
        return (x @ self.w.T) / sigma


def get_inputs():
    return [torch.randn(7, 16)]


def get_init_inputs():
    return [16, 8]
