import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("low", torch.tensor(-0.5))
        self.register_buffer("high", torch.tensor(0.5))

    def forward(self, x):
        if self.training:
            self.low.copy_(torch.minimum(self.low, x.min()))
            self.high.copy_(torch.maximum(self.high, x.max()))
        step = (self.high - self.low).clamp(min=1e-4) / 255.0
        return (x - self.low) / step


def get_inputs():
    return [torch.randn(11, 23)]


def get_init_inputs():
    return []
