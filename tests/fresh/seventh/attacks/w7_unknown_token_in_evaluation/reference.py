import torch
from torch import nn


class Model(nn.Module):
    """Embeddings about their centre: that of the batch, or in evaluation mode the saved one."""

    def __init__(self, tokens, width):
        super().__init__()
        self.table = nn.Parameter(torch.randn(tokens, width))
        self.register_buffer("centre", torch.zeros(width))

    def forward(self, tokens):
        known = (tokens >= 0).unsqueeze(-1)
        rows = self.table[tokens.clamp(min=0)] * known
        centre = rows.mean((0, 1)) if self.training else self.centre
        return rows - centre


def get_inputs():
    return [torch.randint(0, 20, (4, 10))]


def get_init_inputs():
    return [20, 16]
