import torch
import torch.nn as nn


class Model(nn.Module):
    """Sorts the gradients of 16 workers for each weight, and averages the middle eight: a trimmed mean."""

    def forward(self, grads):
        ranked = grads.sort(dim=0).values
        return ranked, ranked[4:12].mean(dim=0)


def get_inputs():
    return [torch.randn(16, 24)]


def get_init_inputs():
    return []
