import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.eps = p

    def forward(self, x):
        return x / (x.norm(dim=-1, keepdim=True) + self.eps)


def get_inputs():
    return [torch.randn(8, 3, 37)]


def get_init_inputs():
    return [1e-4]
