import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, lefts, rights):
        return [a @ b for a, b in zip(lefts, rights)]


def get_inputs():
    sizes = [(5, 20, 9), (17, 33, 18), (1, 4, 40)]
    return [[torch.randn(m, k) for m, k, _ in sizes], [torch.randn(k, n) for _, k, n in sizes]]


def get_init_inputs():
    return []
