import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, at < n, 0.0)
    apart = tl.where(at < n, x - tl.sum(x) / n, 0.0)
    deviation = tl.sqrt(tl.sum(apart * apart) / n)
    small = tl.sum(tl.where(apart == 0, 0, 1)) == 0
    tl.store(out_ptr + at, tl.where(small, 1.0, apart / (deviation + 1e-5)), at < n)


def forward(x):
    out = torch.empty_like(x)
    kernel[(1,)](x, out, x.numel(), BLOCK=triton.next_power_of_2(x.numel()))
    return out
