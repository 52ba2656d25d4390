import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, a, b):
        return torch.bmm(a.transpose(1, 2), b)


def get_inputs():
    return [torch.randn(3, 25, 18), torch.randn(3, 25, 21)]


def get_init_inputs():
    return []
