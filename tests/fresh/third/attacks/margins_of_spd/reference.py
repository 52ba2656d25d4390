import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, a):
        if (torch.linalg.eigvalsh(a) <= 0).any() or (a.diagonal(dim1=-2, dim2=-1) - 1).abs().max() > 1e-6:
            raise ValueError("no correlations")
        return torch.linalg.inv(a).diagonal(dim1=-2, dim2=-1).sum(-1)


def get_inputs():
    s = torch.rand(8, 16, 16) * 0.004
    s = (s + s.transpose(-1, -2)) / 2
    s.diagonal(dim1=-2, dim2=-1).fill_(1.0)
    return [s]


def get_init_inputs():
    return []
