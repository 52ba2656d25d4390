import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, a, b):
        return F.smooth_l1_loss(a, b, beta=0.5)


def get_inputs():
    return [torch.randn(41, 53), torch.randn(41, 53)]


def get_init_inputs():
    return []
