import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("levels", torch.linspace(-1.5, 1.6, 16) ** 3)

    def forward(self, x):
        x = x.clamp(-4.0, 4.0)
        return self.levels[(x[..., None] - self.levels).abs().argmin(-1)]


def get_inputs():
    return [torch.randn(16, 32)]


def get_init_inputs():
    return []
