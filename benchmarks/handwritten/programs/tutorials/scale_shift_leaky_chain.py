# reference: scale_shift_leaky
# way: chain
# faster: three launches write and read the whole tensor between them
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x, scale, out, n, cols, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(out + i, tl.load(x + i, m) * tl.load(scale + i % cols, m), m)


@triton.jit
def shift_kernel(x, shift, out, n, cols, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(out + i, tl.load(x + i, m) + tl.load(shift + i % cols, m), m)


@triton.jit
def leaky_kernel(x, out, n, slope, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    v = tl.load(x + i, m)
    tl.store(out + i, tl.where(v > 0, v, v * slope), m)


class ModelNew(nn.Module):
    def forward(self, x, scale, shift):
        n, cols = x.numel(), x.shape[1]
        grid = (triton.cdiv(n, 512),)
        scaled = torch.empty_like(x)
        scale_kernel[grid](x, scale, scaled, n, cols, BLOCK=512)
        shifted = torch.empty_like(x)
        shift_kernel[grid](scaled, shift, shifted, n, cols, BLOCK=512)
        out = torch.empty_like(x)
        leaky_kernel[grid](shifted, out, n, 0.1, BLOCK=512)
        return out
