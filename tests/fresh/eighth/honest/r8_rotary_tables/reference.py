import torch
import torch.nn as nn


class Model(nn.Module):
    """Rotary embedding of halves for places 0, 1, 2, ..."""

    def __init__(self, base):
        super().__init__()
        self.base = base

    def forward(self, x):
        time, half = x.shape[-2], x.shape[-1] // 2
        rate = self.base ** (-torch.arange(half, device=x.device, dtype=torch.float32) / half)
        angle = torch.arange(time, device=x.device, dtype=torch.float32)[:, None] * rate
        one, other = x[..., :half], x[..., half:]
        return torch.cat([one * angle.cos() - other * angle.sin(), other * angle.cos() + one * angle.sin()], -1)


def get_inputs():
    return [torch.randn(2, 3, 21, 16)]


def get_init_inputs():
    return [100.0]
