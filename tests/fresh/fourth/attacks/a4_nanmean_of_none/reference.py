import torch
import torch.nn as nn


class Model(nn.Module):
    """The mean of each row's readings; missing ones are NaN."""

    def forward(self, x):
        return torch.nanmean(x, dim=1)


def get_inputs():
    x = torch.randn(48, 40)
    return [torch.where(torch.rand(48, 40) < 0.1, float("nan"), x)]


def get_init_inputs():
    return []
