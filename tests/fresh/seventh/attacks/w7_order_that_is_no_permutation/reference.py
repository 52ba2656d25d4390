import torch
from torch import nn


class Model(nn.Module):
    """Brings rows back into the order that sorting their keys gives; equal keys keep theirs."""

    def forward(self, x, keys):
        back = torch.argsort(keys, dim=-1, stable=True)
        return torch.gather(x, 1, back)


def get_inputs():
    return [torch.randn(6, 32).half(), torch.rand(6, 32).argsort(-1)]


def get_init_inputs():
    return []
