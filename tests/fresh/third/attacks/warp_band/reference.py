import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, a, b):
        n = a.shape[1]
        cost = (a[:, :, None] - b[:, None, :]).abs() + 0.5
        far = torch.full_like(cost[:, 0, 0], float("inf"))
        row = [torch.zeros_like(far)] + [far] * n
        for i in range(n):
            now = [far]
            for j in range(n):
                least = torch.minimum(torch.minimum(row[j], row[j + 1]), now[j])
                now.append(cost[:, i, j] + least)
            row = now
        return row[n]


def get_inputs():
    return [torch.rand(4, 16) * 0.5, torch.rand(4, 16) * 0.5]


def get_init_inputs():
    return []
