import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, taps):
        super().__init__()
        self.taps = nn.Parameter(torch.randn(taps))

    def forward(self, x):
        gap = torch.arange(x.shape[1]) - torch.arange(x.shape[1])[:, None]
        half = self.taps.shape[0] // 2
        terms = self.taps[(gap + half).clamp(0, 2 * half)] * x[:, None]
        return torch.where(gap.abs() <= half, terms, 0.0).sum(-1)


def get_inputs():
    return [torch.randn(5, 32)]


def get_init_inputs():
    return [5]
