import torch
import torch.nn as nn


class Model(nn.Module):
    """The four best of sixteen experts for each token: scores and numbers."""

    def __init__(self):
        super().__init__()

    def forward(self, logits):
        values, places = torch.topk(logits, 4, dim=-1)
        return values, places


def get_inputs():
    return [torch.randn(48, 16)]


def get_init_inputs():
    return []
