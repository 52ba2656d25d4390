import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    low = tl.min(tl.load(x_ptr + at, at < n, float("inf")))
    x = tl.load(x_ptr + at, at < n, -float("inf"))
    tl.store(out_ptr + at, (x - low) / (tl.max(x) - low), at < n)


def forward(x):
    out = torch.empty_like(x)
    kernel[(1,)](x, out, x.numel(), BLOCK=triton.next_power_of_2(x.numel()))
    return out
