import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, base, index, rows):
        return base.index_add(0, index, rows)


def get_inputs():
    return [torch.randn(15, 22), torch.randint(0, 15, (40,)), torch.randn(40, 22)]


def get_init_inputs():
    return []
