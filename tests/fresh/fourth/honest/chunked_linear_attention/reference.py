import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, q, k, v):
        q, k = torch.relu(q) + 1, torch.relu(k) + 1
        n = q.shape[1]
        s = (q @ k.mT) * torch.tril(torch.ones(n, n, dtype=q.dtype, device=q.device))
        return (s @ v) / s.sum(-1, keepdim=True)


def get_inputs():
    return [torch.randn(2, 37, 16), torch.randn(2, 37, 16), torch.randn(2, 37, 16)]


def get_init_inputs():
    return []
