import torch
import torch.nn as nn


class Model(nn.Module):
    """Rounds a tensor to fp8 and back, with one scale for the tensor."""

    def forward(self, x):
        scale = x.abs().max().clamp(min=1e-12) / 448.0
        return (x / scale).clamp(-448.0, 448.0).to(torch.float8_e4m3fn).to(torch.float32) * scale


def get_inputs():
    return [torch.randn(16, 32)]


def get_init_inputs():
    return []
