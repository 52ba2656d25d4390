import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, sigma=1.2):
        super().__init__()
        at = torch.arange(-2, 3).float()
        taps = torch.exp(-at * at / (2 * sigma * sigma))
        self.register_buffer("taps", taps / taps.sum(), persistent=False)

    def forward(self, x):
        return torch.nn.functional.conv1d(x[:, None], self.taps[None, None])[:, 0]


def get_inputs():
    return [torch.randn(8, 68)]


def get_init_inputs():
    return []
