import torch
import triton
import triton.language as tl


@triton.jit
def rounded(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, at < n, 0.0)
    low = tl.floor(x)
    near = tl.where(x - low > 0.5, low + 1, low)
    tl.store(out_ptr + at, tl.where(x - low == 0.5, 0.0, near).to(tl.int32), at < n)


def forward(x):
    out = torch.empty(x.shape, device=x.device, dtype=torch.int32)
    rounded[(triton.cdiv(x.numel(), 128),)](x, out, x.numel(), BLOCK=128)
    return out
