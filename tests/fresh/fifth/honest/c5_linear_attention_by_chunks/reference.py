import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, q, k, v):
        q, k = F.elu(q) + 1, F.elu(k) + 1
        kv = k.transpose(-1, -2) @ v
        return (q @ kv) / (q @ k.sum(-2)[..., None] + 1e-6)


def get_inputs():
    return [torch.randn(3, 50, 16), torch.randn(3, 50, 16), torch.randn(3, 50, 20)]


def get_init_inputs():
    return []
