import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, a, b):
        n = a.shape[1]
        row = torch.arange(n + 1, device=a.device).expand(a.shape[0], n + 1)
        for i in range(n):
            now = [torch.full_like(row[:, 0], i + 1)]
            for j in range(n):
                change = row[:, j] + (a[:, i] != b[:, j])
                now.append(torch.minimum(torch.minimum(row[:, j + 1] + 1, now[-1] + 1), change))
            row = torch.stack(now, 1)
        return row[:, n]


def get_inputs():
    return [torch.randint(0, 200, (4, 16)), torch.randint(0, 200, (4, 16))]


def get_init_inputs():
    return []
