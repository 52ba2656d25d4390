import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, open_cell):
        h, w = open_cell.shape[-2:]
        label = torch.arange(h * w, device=open_cell.device).view(h, w).expand_as(open_cell)
        far = torch.full_like(label, h * w)
        label = torch.where(open_cell, label, far)
        for _ in range(h * w):
            p = F.pad(label, (1, 1, 1, 1), value=h * w)
            least = torch.minimum(torch.minimum(p[:, :-2, 1:-1], p[:, 2:, 1:-1]), torch.minimum(p[:, 1:-1, :-2], p[:, 1:-1, 2:]))
            label = torch.where(open_cell, torch.minimum(label, least), far)
        return label


def get_inputs():
    return [torch.rand(4, 8, 8) < 0.6]


def get_init_inputs():
    return []
