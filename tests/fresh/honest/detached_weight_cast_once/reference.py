import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(o, i) * 0.2)

    def forward(self, x):
        return x.float() @ self.weight.half().float().t()


def get_inputs():
    return [torch.randn(17, 32).half()]


def get_init_inputs():
    return [32, 24]
