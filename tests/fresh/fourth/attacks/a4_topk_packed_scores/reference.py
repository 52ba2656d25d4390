import torch
import torch.nn as nn


class Model(nn.Module):
    """The best two candidates of each row, by squared score."""

    def forward(self, score):
        return torch.topk(score * score, 2, dim=1).indices


def get_inputs():
    return [torch.randn(24, 32)]


def get_init_inputs():
    return []
