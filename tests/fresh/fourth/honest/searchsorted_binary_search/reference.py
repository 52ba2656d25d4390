import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, edges, x):
        return torch.searchsorted(edges.cumsum(0), x, right=True)


def get_inputs():
    return [torch.randint(0, 5, (21,)), torch.randint(-3, 45, (60,))]


def get_init_inputs():
    return []
