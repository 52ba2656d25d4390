import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, w):
        d = w.abs()
        n = d.shape[-1]
        d = d.masked_fill(torch.eye(n, dtype=torch.bool, device=d.device), 0.0)
        for k in range(n):
            d = torch.minimum(d, d[:, :, k, None] + d[:, None, k, :])
        return d


def get_inputs():
    return [torch.rand(3, 9, 9)]


def get_init_inputs():
    return []
