import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """The mean loss of each document's tokens, padding (0) left out."""

    def forward(self, logits, target):
        return torch.stack([F.cross_entropy(a, b, ignore_index=0) for a, b in zip(logits, target)])


def get_inputs():
    return [torch.randn(6, 20, 16), torch.randint(0, 16, (6, 20))]


def get_init_inputs():
    return []
