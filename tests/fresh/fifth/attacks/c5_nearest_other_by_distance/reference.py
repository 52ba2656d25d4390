import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        d = (x[:, None] - x[None]).pow(2).sum(-1)
        d = d.masked_fill(torch.eye(len(x), dtype=torch.bool, device=x.device), float("inf"))
        return d.amin(1).sqrt()


def get_inputs():
    return [torch.randn(24, 16)]


def get_init_inputs():
    return []
