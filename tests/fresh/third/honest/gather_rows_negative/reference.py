import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, table, places):
        return table[places] * 2


def get_inputs():
    return [torch.randn(25, 18), torch.randint(-25, 25, (3, 7))]


def get_init_inputs():
    return []
