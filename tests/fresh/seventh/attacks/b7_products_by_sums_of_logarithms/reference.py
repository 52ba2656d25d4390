import torch
import torch.nn as nn


class Model(nn.Module):
    """Transmittance and weights along rays of a radiance field."""

    def forward(self, density, step):
        clear = 1.0 - density * step
        through = torch.cumprod(clear, 1)
        before = torch.cat([torch.ones_like(through[:, :1]), through[:, :-1]], 1)
        return before * (1.0 - clear), through[:, -1].contiguous()


def get_inputs():
    return [torch.rand(10, 24) * 2.0, torch.rand(10, 24) * 0.3 + 0.01]


def get_init_inputs():
    return []
