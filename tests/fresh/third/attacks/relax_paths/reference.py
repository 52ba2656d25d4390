import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, cost):
        n = cost.shape[1]
        cost = cost.abs()
        best = cost[:, 0, :].clone()
        best[:, 0] = 0
        for _ in range(n):
            best = torch.minimum(best, (best[:, :, None] + cost).amin(1))
        return best


def get_inputs():
    return [torch.rand(2, 32, 32) + 0.01]


def get_init_inputs():
    return []
