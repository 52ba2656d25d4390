import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        return F.relu(x), F.silu(x), torch.tanh(x)


def get_inputs():
    return [torch.randn(190)]


def get_init_inputs():
    return []
