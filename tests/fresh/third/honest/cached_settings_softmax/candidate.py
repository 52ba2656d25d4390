import functools

import torch
import torch.nn as nn
import triton
import triton.language as tl

MAX_FUSED = 4096


@functools.lru_cache(maxsize=None)
def calculate_settings(n):
    block = triton.next_power_of_2(n)
    warps = 4
    if block >= 2048:
        warps = 8
    return min(block, MAX_FUSED), warps


@triton.jit
def narrow(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + c, mask=c < n, other=-float("inf"))
    x = x - tl.max(x, 0)
    tl.store(y_ptr + row * n + c, x - tl.log(tl.sum(tl.exp(x), 0)), mask=c < n)


@triton.jit
def wide(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    top = -float("inf")
    for start in range(0, n, BLOCK):
        c = start + tl.arange(0, BLOCK)
        top = tl.maximum(top, tl.max(tl.load(x_ptr + row * n + c, mask=c < n, other=-float("inf")), 0))
    total = 0.0
    for start in range(0, n, BLOCK):
        c = start + tl.arange(0, BLOCK)
        total += tl.sum(tl.exp(tl.load(x_ptr + row * n + c, mask=c < n, other=-float("inf")) - top), 0)
    shift = tl.log(total)
    for start in range(0, n, BLOCK):
        c = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n + c, mask=c < n, other=0.0)
        tl.store(y_ptr + row * n + c, (x - top) - shift, mask=c < n)


class ModelNew(nn.Module):
    def forward(self, x):
        assert x.ndim >= 1, "expected at least one dimension"
        x = x.contiguous()
        n = x.shape[-1]
        block, warps = calculate_settings(n)
        y = torch.empty_like(x)
        kernel = narrow if block >= n else wide
        kernel[(x.numel() // n,)](x, y, n, BLOCK=block, num_warps=warps)
        return y


if __name__ == "__main__":
    sample = torch.randn(4, 100, device="cuda")
    print((ModelNew()(sample) - torch.log_softmax(sample, -1)).abs().max())
