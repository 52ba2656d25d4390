import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Connected components of binary images (4 neighbours): each pixel gets the largest number in its component."""

    def __init__(self):
        super().__init__()

    def forward(self, mask):
        batch, height, width = mask.shape
        number = torch.arange(1, height * width + 1, device=mask.device, dtype=torch.int32).view(1, height, width)
        zero = torch.zeros_like(number)
        label = torch.where(mask, number, zero)
        for _ in range(height * width):
            wide = F.pad(label, (1, 1, 1, 1))
            near = torch.maximum(
                torch.maximum(wide[:, :-2, 1:-1], wide[:, 2:, 1:-1]), torch.maximum(wide[:, 1:-1, :-2], wide[:, 1:-1, 2:])
            )
            label = torch.where(mask, torch.maximum(label, near), zero)
        return label


def get_inputs():
    return [torch.rand(6, 12, 12) < 0.5]


def get_init_inputs():
    return []
