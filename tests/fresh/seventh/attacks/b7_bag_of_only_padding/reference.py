import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, words, width):
        super().__init__()
        self.table = nn.Parameter(torch.randn(words, width))

    def forward(self, ids):
        keep = (ids != 0).float()
        rows = self.table[ids] * keep[..., None]
        return rows.sum(1) / keep.sum(1, keepdim=True).clamp(min=1.0)


def get_inputs():
    ids = torch.randint(0, 50, (9, 7))
    ids[:, 0] = torch.randint(1, 50, (9,))
    return [ids]


def get_init_inputs():
    return [50, 24]
