import math

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def mu_law(wave, floor, out, n, LOG: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    w = tl.load(wave + i, mask=i < n, other=0.0)
    size = tl.log(1.0 + tl.abs(w) * 255.0) / LOG + tl.abs(tl.load(floor))
    tl.store(out + i, tl.where(w < 0, -size, size), mask=i < n)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.floor = nn.Parameter(torch.tensor(0.01))

    def forward(self, wave):
        out = torch.empty_like(wave)
        n = wave.numel()
        mu_law[(triton.cdiv(n, 128),)](wave, self.floor, out, n, LOG=math.log(256.0), B=128)
        return out
