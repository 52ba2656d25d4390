import torch
import torch.nn as nn


class Model(nn.Module):
    """A linear layer whose weight is rounded to 255 levels for each output."""

    def __init__(self, width, out):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(out, width) * 0.1)
        self.bias = nn.Parameter(torch.zeros(out))

    def forward(self, x):
        step = self.weight.abs().amax(1, keepdim=True).clamp(min=1e-8) / 127
        weight = torch.round(self.weight / step).clamp(-127, 127) * step
        return x @ weight.t() + self.bias


def get_inputs():
    return [torch.randn(14, 36)]


def get_init_inputs():
    return [36, 22]
