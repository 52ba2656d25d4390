import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, rows, width):
        super().__init__()
        self.table = nn.Embedding(rows, width)

    def forward(self, ids, raw):
        w = torch.sigmoid(raw)
        e = self.table(ids)
        return (e * w[..., None]).sum(1) / (w.sum(1, keepdim=True) + 1e-3)


def get_inputs():
    return [torch.randint(0, 33, (6, 5)), torch.randn(6, 5)]


def get_init_inputs():
    return [33, 20]
