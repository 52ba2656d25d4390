import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, count, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(count, width))

    def forward(self, ids, offsets):
        return F.embedding_bag(ids, self.weight, offsets, mode="mean")


def get_inputs():
    offsets = torch.randint(0, 60, (10,)).sort().values
    offsets[0] = 0
    return [torch.randint(0, 40, (60,)), offsets]


def get_init_inputs():
    return [40, 24]
