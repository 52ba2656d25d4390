import torch
from torch import nn


class Model(nn.Module):
    """The best token of each row after a penalty that is part of the state."""

    def __init__(self, tokens):
        super().__init__()
        self.register_buffer("penalty", 0.0625 * ((torch.arange(tokens) * 7) % tokens))

    def forward(self, logits):
        return torch.argmax(logits - self.penalty, dim=-1)


def get_inputs():
    return [torch.randn(12, 48)]


def get_init_inputs():
    return [48]
