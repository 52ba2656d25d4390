import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, q, k, v):
        s = q @ k.transpose(-1, -2) * 0.25
        s = 20.0 * torch.tanh(s / 20.0)
        n = s.shape[-1]
        later = torch.ones(n, n, dtype=torch.bool, device=q.device).triu(1)
        return s.masked_fill(later, float("-inf")).softmax(-1) @ v


def get_inputs():
    return [torch.randn(2, 2, 45, 16), torch.randn(2, 2, 45, 16), torch.randn(2, 2, 45, 16)]


def get_init_inputs():
    return []
