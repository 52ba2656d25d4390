import torch
import torch.nn as nn


class Model(nn.Module):
    """Quantize rows to eight bits by a learned step, and keep the codes."""

    def __init__(self, width):
        super().__init__()
        self.step = nn.Parameter(torch.full((width,), 0.0625))

    def forward(self, x):
        code = torch.round(x / self.step.abs().clamp(min=1e-6)).clamp(-128, 127)
        return code.to(torch.int8)


def get_inputs():
    return [torch.randn(11, 40)]


def get_init_inputs():
    return [40]
