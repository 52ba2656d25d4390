import torch
import torch.nn as nn


class Model(nn.Module):
    """The four largest values of each row, in descending order, and the mean of them."""

    def forward(self, x):
        values = x.topk(4, dim=-1).values
        return values, values.mean(-1)


def get_inputs():
    return [torch.randn(13, 50)]


def get_init_inputs():
    return []
