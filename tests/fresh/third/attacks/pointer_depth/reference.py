import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, parent):
        at = torch.arange(parent.shape[1], device=parent.device).expand_as(parent)
        depth = torch.zeros_like(parent)
        for _ in range(parent.shape[1]):
            up = parent.gather(1, at)
            depth = depth + (up < at)
            at = torch.minimum(up, at)
        return at, depth


def get_inputs():
    return [torch.randint(0, 64, (4, 64))]


def get_init_inputs():
    return []
