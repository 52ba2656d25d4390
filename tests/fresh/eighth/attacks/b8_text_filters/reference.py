import torch
import torch.nn as nn


class Model(nn.Module):
    """TextCNN: filters over a sequence of embeddings, and their maximum over time."""

    def __init__(self, dim, filters, width):
        super().__init__()
        self.conv = nn.Conv1d(dim, filters, width)

    def forward(self, tokens):
        return self.conv(tokens).amax(dim=-1)


def get_inputs():
    return [torch.randn(3, 8, 61)]


def get_init_inputs():
    return [8, 10, 4]
