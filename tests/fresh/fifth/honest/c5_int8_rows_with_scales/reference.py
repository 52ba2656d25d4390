import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        scale = x.abs().amax(-1, keepdim=True).clamp(min=1e-12) / 127
        return torch.round(x / scale).clamp(-127, 127).to(torch.int8), scale


def get_inputs():
    return [torch.randn(16, 90)]


def get_init_inputs():
    return []
