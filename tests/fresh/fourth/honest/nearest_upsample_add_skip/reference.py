import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x, skip):
        return F.interpolate(x, scale_factor=2, mode="nearest") + skip


def get_inputs():
    return [torch.randn(2, 3, 5, 6), torch.randn(2, 3, 10, 12)]


def get_init_inputs():
    return []
