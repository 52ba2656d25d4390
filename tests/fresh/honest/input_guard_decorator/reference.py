import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, q, g):
        return torch.cumsum(F.logsigmoid(g), dim=1) + q


def get_inputs():
    return [torch.randn(3, 17, 4), torch.randn(3, 17, 4)]


def get_init_inputs():
    return []
