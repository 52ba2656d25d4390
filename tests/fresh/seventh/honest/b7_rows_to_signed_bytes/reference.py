import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        x = x.nan_to_num(0.0, 100.0, -100.0)
        step = x.abs().amax(-1, keepdim=True).clamp(min=1e-6) / 127.0
        return torch.round(x / step).to(torch.int8), step[..., 0].contiguous()


def get_inputs():
    return [torch.randn(12, 52)]


def get_init_inputs():
    return []
