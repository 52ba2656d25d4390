import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, channels=8):
        super().__init__()
        self.register_buffer("shift", torch.zeros(channels, dtype=torch.int64))

    def forward(self, x):
        place = torch.arange(x.shape[1], device=x.device)
        return x.gather(1, torch.remainder(place[None] + self.shift[:, None], x.shape[1]))


def get_inputs():
    return [torch.randn(8, 48)]


def get_init_inputs():
    return []
