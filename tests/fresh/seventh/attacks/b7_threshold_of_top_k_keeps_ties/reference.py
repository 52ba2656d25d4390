import torch
import torch.nn as nn


class Model(nn.Module):
    """Count and sum what a router sends to its k best experts."""

    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, gates):
        best = gates.topk(self.k, -1).values
        return best.sum(-1), best / best.sum(-1, keepdim=True).clamp(min=1e-9)


def get_inputs():
    return [torch.rand(21, 12)]


def get_init_inputs():
    return [3]
