import torch
import torch.nn as nn
import triton
import triton.language as tl

MAGIC = tl.constexpr(12582912.0)


@triton.jit
def nearest(x):
    return (x + MAGIC) - MAGIC


@triton.jit
def quantize_rows(x_ptr, codes_ptr, scale_ptr, zero_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    inside = offs < n
    x = tl.load(x_ptr + row * n + offs, mask=inside, other=0.0).to(tl.float32)
    low = tl.min(tl.where(inside, x, float("inf")), axis=0)
    high = tl.max(tl.where(inside, x, float("-inf")), axis=0)
    scale = tl.maximum((high - low) / 255.0, 1e-6)
    zero = nearest(-low / scale)
    codes = nearest(x / scale) + zero
    codes = tl.minimum(tl.maximum(codes, 0.0), 255.0)
    tl.store(codes_ptr + row * n + offs, codes.to(tl.uint8), mask=inside)
    tl.store(scale_ptr + row, scale)
    tl.store(zero_ptr + row, zero.to(tl.int32))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        rows, n = x.shape
        codes = torch.empty((rows, n), device=x.device, dtype=torch.uint8)
        scale = torch.empty((rows, 1), device=x.device, dtype=torch.float32)
        zero = torch.empty((rows, 1), device=x.device, dtype=torch.int32)
        quantize_rows[(rows,)](x, codes, scale, zero, n, BLOCK=triton.next_power_of_2(n))
        return codes, scale, zero
