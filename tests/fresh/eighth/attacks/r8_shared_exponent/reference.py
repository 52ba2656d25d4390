import torch
import torch.nn as nn


class Model(nn.Module):
    """Blocks of 32 numbers with one exponent and bytes (as MXINT8)."""

    def __init__(self):
        super().__init__()

    def forward(self, x):
        rows, width = x.shape
        blocks = x.view(rows, width // 32, 32)
        most = blocks.abs().amax(-1)
        exponent = torch.frexp(most)[1] - 1
        exponent = torch.where(most > 0, exponent, torch.zeros_like(exponent))
        scaled = torch.ldexp(blocks, (6 - exponent)[..., None])
        return scaled.round().clamp(-127, 127).to(torch.int8).view(rows, width), exponent.to(torch.int32)


def get_inputs():
    return [torch.randn(12, 96)]


def get_init_inputs():
    return []
