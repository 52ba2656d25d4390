import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def bend(x):
    size = tl.abs(x)
    return tl.where(x > 0, tl.log(1.0 + size), -tl.sqrt(size))


@triton.jit(do_not_specialize=["n"])
def bend_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    tl.assume(n > 0)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0, eviction_policy="evict_first")
    tl.store(y_ptr + i, bend(x), mask=i < n, cache_modifier=".cs")


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        if x.numel() == 0:
            return y
        bend_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
        return y
