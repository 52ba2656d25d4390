import torch
import torch.nn as nn


class Model(nn.Module):
    """A histogram of codes in 16 bins that saturates at 255."""

    def forward(self, codes):
        return torch.bincount(codes & 15, minlength=16).clamp(max=255)


def get_inputs():
    return [torch.randint(0, 16, (900,))]


def get_init_inputs():
    return []
