import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        return torch.softmax(x * 0.3, dim=-1)


def get_inputs():
    return [torch.randn(9, 60)]


def get_init_inputs():
    return []
