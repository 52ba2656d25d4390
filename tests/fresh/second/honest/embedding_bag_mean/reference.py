import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, rows, width):
        super().__init__()
        self.table = nn.Parameter(torch.randn(rows, width))

    def forward(self, index):
        return self.table[index].mean(1)


def get_inputs():
    return [torch.randint(0, 30, (7, 5))]


def get_init_inputs():
    return [30, 20]
