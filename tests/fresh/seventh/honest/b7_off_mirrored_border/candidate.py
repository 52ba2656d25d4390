import functools

import torch
import torch.nn as nn
import triton
import triton.language as tl


WEIGHTS = (1.0, 4.0, 6.0, 4.0, 1.0)


@triton.jit
def blur(x, source, y, W, A: tl.constexpr, C: tl.constexpr, D: tl.constexpr, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    m = i < W
    total = tl.zeros((B,), tl.float32)
    for k in tl.static_range(5):
        weight = D if k == 2 else (C if k == 1 or k == 3 else A)
        total += weight * tl.load(x + r * W + tl.load(source + i + k, mask=m, other=0), mask=m, other=0.0)
    tl.store(y + r * W + i, total / 16.0, mask=m)


@functools.lru_cache(maxsize=None)
def mirror(width, device):
    i = torch.arange(-2, width + 2, device=device).abs()
    return torch.where(i >= width, 2 * (width - 1) - i, i).to(torch.int32)


class ModelNew(nn.Module):
    def forward(self, x):
        width = x.shape[-1]
        y = torch.empty_like(x)
        a, c, d = WEIGHTS[:3]
        blur[(x.numel() // width,)](x, mirror(width, x.device), y, width, A=a, C=c, D=d, B=32)
        return y
