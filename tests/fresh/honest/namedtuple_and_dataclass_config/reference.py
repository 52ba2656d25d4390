import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, w):
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * (1 + w)


def get_inputs():
    return [torch.randn(4, 5, 48), torch.randn(48)]


def get_init_inputs():
    return []
