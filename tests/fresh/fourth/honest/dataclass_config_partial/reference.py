import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        n = x / x.norm(dim=-1, keepdim=True).clamp(min=1e-4)
        return n @ n.t()


def get_inputs():
    return [torch.randn(20, 26)]


def get_init_inputs():
    return []
