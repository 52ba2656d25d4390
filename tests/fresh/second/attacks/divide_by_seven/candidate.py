import torch
import triton
import triton.language as tl


@triton.jit
def sevenths(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, at < n, 0).to(tl.float32)
    size = tl.floor((tl.abs(x) + 0.5) / 7)
    tl.store(out_ptr + at, tl.where(x < 0, -size, size).to(tl.int32), at < n)


def forward(x):
    out = torch.empty_like(x)
    sevenths[(triton.cdiv(x.numel(), 128),)](x, out, x.numel(), BLOCK=128)
    return out
