import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        return F.mish(x), F.hardswish(x)


def get_inputs():
    return [torch.randn(5, 61) * 3]


def get_init_inputs():
    return []
