import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, channels=6):
        super().__init__()
        self.register_buffer("phase", torch.zeros(channels, dtype=torch.int64))

    def forward(self, x):
        t = torch.arange(x.shape[1], device=x.device)
        step = torch.div(t[None] + self.phase[:, None], 4, rounding_mode="floor")
        return x + 0.5 * step.float()


def get_inputs():
    return [torch.randn(6, 64)]


def get_init_inputs():
    return []
