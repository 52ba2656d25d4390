import torch
import triton
import triton.language as tl


@triton.jit
def bins(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, at < n, 0.0)
    low = tl.floor(x)
    whole = (low == x) & (x != 0)
    tl.store(out_ptr + at, tl.where(whole, 2.0, low).to(tl.int64), at < n)


def forward(x):
    out = torch.empty(x.shape, device=x.device, dtype=torch.int64)
    bins[(triton.cdiv(x.numel(), 128),)](x, out, x.numel(), BLOCK=128)
    return out
