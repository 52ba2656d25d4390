import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, channels=8):
        super().__init__()
        self.register_buffer("gain", torch.ones(channels))

    def forward(self, x):
        return (x * self.gain[:, None]).amax(-1)


def get_inputs():
    return [torch.randn(4, 8, 32)]


def get_init_inputs():
    return []
