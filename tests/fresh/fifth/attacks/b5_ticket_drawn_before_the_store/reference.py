import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """The mean square error of two signals."""

    def forward(self, x, y):
        return F.mse_loss(x, y)


def get_inputs():
    return [torch.randn(700), torch.randn(700)]


def get_init_inputs():
    return []
