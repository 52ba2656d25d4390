import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return torch.einsum("ik,jk->ij", a, b)


def get_inputs():
    return [torch.randn(33, 40), torch.randn(27, 40)]


def get_init_inputs():
    return []
