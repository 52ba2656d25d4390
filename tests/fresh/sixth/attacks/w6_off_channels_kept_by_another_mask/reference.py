import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, channels=32):
        super().__init__()
        self.register_buffer("keep", (torch.arange(channels) * 5 % 8 < 6).float())

    def forward(self, x):
        return x * self.keep * (self.keep.numel() / self.keep.sum())


def get_inputs():
    return [torch.randn(16, 32)]


def get_init_inputs():
    return []
