import functools

import torch
import torch.nn as nn
import triton
import triton.language as tl



@functools.lru_cache(maxsize=None)
def scratch(samples, device):
    return torch.empty((samples, 2), device=device, dtype=torch.float32)


@triton.jit
def moments_kernel(x_ptr, moments_ptr, SIZE: tl.constexpr):
    sample = tl.program_id(0)
    x = tl.load(x_ptr + sample * SIZE + tl.arange(0, SIZE))
    mean = tl.sum(x, 0) / SIZE
    apart = x - mean
    tl.store(moments_ptr + 2 * sample, mean)
    tl.store(moments_ptr + 2 * sample + 1, 1.0 / tl.sqrt(tl.sum(apart * apart, 0) / SIZE + 1e-5))


@triton.jit
def apply_kernel(x_ptr, moments_ptr, gain_ptr, out_ptr, LINES: tl.constexpr, WIDTH: tl.constexpr):
    line, column = tl.program_id(0), tl.arange(0, WIDTH)
    sample = line // LINES
    mean, factor = tl.load(moments_ptr + 2 * sample), tl.load(moments_ptr + 2 * sample + 1)
    x = tl.load(x_ptr + line * WIDTH + column)
    tl.store(out_ptr + line * WIDTH + column, (x - mean) * factor * tl.load(gain_ptr + column))


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))

    def forward(self, x):
        samples, lines, width = x.shape
        moments, out = scratch(samples, x.device), torch.empty_like(x)
        moments_kernel[(samples,)](x, moments, lines * width)
        apply_kernel[(samples * lines,)](x, moments, self.gain, out, lines, width)
        return out
