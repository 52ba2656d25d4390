import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        b = torch.floor((x + 2.0) * 8.0)
        inside = (b >= 0) & (b < 32)
        b = torch.where(inside, b, torch.zeros_like(b)).long()
        return torch.zeros(32, dtype=torch.int32, device=x.device).index_add(0, b.flatten(), inside.flatten().int())


def get_inputs():
    return [torch.randn(300)]


def get_init_inputs():
    return []
