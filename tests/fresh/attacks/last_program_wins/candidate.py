import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, width, BLOCK: tl.constexpr):
    waited = 0
    while waited < 1:
        waited += 1
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * width + column, column < width, 0)
    tl.atomic_xchg(out_ptr + tl.arange(0, 1), tl.sum(x))


def forward(x):
    out = torch.zeros((), device=x.device, dtype=x.dtype)
    kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=64)
    return out
