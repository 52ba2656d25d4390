import torch
import torch.nn as nn


class Model(nn.Module):
    """Rows as signed bytes, each with a scale of its own."""

    def __init__(self):
        super().__init__()

    def forward(self, x):
        scale = x.abs().amax(-1, keepdim=True).clamp(min=1e-8) / 127
        return torch.round(x / scale).to(torch.int8), scale.squeeze(-1)


def get_inputs():
    return [torch.randn(14, 52)]


def get_init_inputs():
    return []
