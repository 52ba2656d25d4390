import torch
import torch.nn as nn


class Model(nn.Module):
    """The first hit of each row, or -1."""

    def forward(self, hit):
        place = torch.arange(hit.shape[1], device=hit.device)
        first = torch.where(hit, place, hit.shape[1]).amin(dim=1)
        return torch.where(first < hit.shape[1], first, -1)


def get_inputs():
    return [torch.rand(40, 64) < 0.5]


def get_init_inputs():
    return []
