import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def spread_kernel(x_ptr, y_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    y = tl.load(y_ptr + i, mask=i < n, other=0.0)
    tl.store(o_ptr + i, tl.maximum(x, y) - tl.minimum(x, y), mask=i < n)


@triton.jit
def hypot_kernel(x_ptr, y_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.abs(tl.load(x_ptr + i, mask=i < n, other=0.0))
    y = tl.abs(tl.load(y_ptr + i, mask=i < n, other=0.0))
    big = tl.maximum(x, y)
    small = tl.minimum(x, y)
    finite = (big > 0.0) & (big < float("inf"))
    ratio = tl.where(finite, small / tl.where(finite, big, 1.0), 0.0)
    tl.store(o_ptr + i, big * tl.sqrt(1.0 + ratio * ratio), mask=i < n)


def make_binary(kernel, block=128):
    def launch(x, y):
        out = torch.empty_like(x)
        n = x.numel()
        kernel[(triton.cdiv(n, block),)](x, y, out, n, BLOCK=block)
        return out

    return launch


spread = make_binary(spread_kernel)
hypot = make_binary(hypot_kernel, block=64)


class ModelNew(nn.Module):
    def forward(self, x, y):
        x, y = x.contiguous(), y.contiguous()
        return spread(x, y), hypot(x, y)
