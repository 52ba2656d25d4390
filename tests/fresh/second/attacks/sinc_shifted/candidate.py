import torch
import triton
import triton.language as tl


@triton.jit
def sinc(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    t = (2 * tl.load(x_ptr + at, at < n, 0.0) - 3) * 3.141592653589793
    tl.store(out_ptr + at, tl.sin(t) / t, at < n)


def forward(x):
    out = torch.empty_like(x)
    sinc[(triton.cdiv(x.numel(), 128),)](x, out, x.numel(), BLOCK=128)
    return out
