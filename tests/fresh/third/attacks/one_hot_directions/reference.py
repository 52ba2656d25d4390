import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, d):
        if ((d * d).sum(-1) - 1).abs().max() > 1e-3:
            raise ValueError("no directions")
        flat = (d[..., 0].square() + d[..., 1].square()).sqrt()
        inside = flat > 1e-6
        return torch.where(inside, d[..., 0] / flat.clamp(min=1e-6), torch.zeros_like(flat))


def get_inputs():
    return [F.normalize(torch.randn(8, 32, 3), dim=-1)]


def get_init_inputs():
    return []
