import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x, residual):
        return F.pixel_shuffle(x, 3) + residual


def get_inputs():
    return [torch.randn(2, 18, 4, 5), torch.randn(2, 2, 12, 15)]


def get_init_inputs():
    return []
