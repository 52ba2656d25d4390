import torch
import triton
import triton.language as tl


@triton.jit
def blend(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, at < n, 0.0).to(tl.float32)
    y = tl.load(y_ptr + at, at < n, 0.0).to(tl.float32)
    tl.store(out_ptr + at, (0.706 * x + 0.294 * y).to(tl.bfloat16), at < n)


def forward(x, y):
    out = torch.empty_like(x)
    blend[(triton.cdiv(x.numel(), 128),)](x, y, out, x.numel(), BLOCK=128)
    return out
