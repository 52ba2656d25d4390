import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, channels=8):
        super().__init__()
        self.register_buffer("lag", torch.zeros(channels, dtype=torch.int64))

    def forward(self, x):
        at = torch.arange(x.shape[1], device=x.device)[None] - self.lag[:, None]
        inside = (at >= 0) & (at < x.shape[1])
        return torch.where(inside, x.gather(1, at.clamp(0, x.shape[1] - 1)), 0.0)


def get_inputs():
    return [torch.randn(8, 48)]


def get_init_inputs():
    return []
