import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, q, k, v):
        q = F.elu(q) + 1
        k = F.elu(k) + 1
        scores = (q @ k.transpose(-1, -2)).tril()
        return scores @ v / (scores.sum(-1, keepdim=True) + 1e-6)


def get_inputs():
    return [torch.randn(2, 2, 15, 8), torch.randn(2, 2, 15, 8), torch.randn(2, 2, 15, 8)]


def get_init_inputs():
    return []
