import torch
import torch.nn as nn


class Model(nn.Module):
    """Eight-bit fake quantization with a running maximum that training raises."""

    def __init__(self):
        super().__init__()
        self.register_buffer("amax", torch.tensor(1.0))

    def forward(self, x):
        if self.training:
            self.amax.copy_(torch.maximum(self.amax, x.abs().max()))
        scale = self.amax.clamp(min=1e-3) / 127.0
        return torch.round((x / scale).clamp(-127.0, 127.0)) * scale


def get_inputs():
    return [torch.randn(17, 40)]


def get_init_inputs():
    return []
