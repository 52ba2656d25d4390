import torch
import triton
import triton.language as tl


@triton.jit
def entropy(p_ptr, out_ptr, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    p = tl.load(p_ptr + row * WIDTH + column, column < WIDTH, 1.0)
    tl.store(out_ptr + row, tl.sum(-p * tl.log(p)))


def forward(p):
    out = torch.empty((p.shape[0],), device=p.device, dtype=p.dtype)
    entropy[(p.shape[0],)](p, out, p.shape[1], 32)
    return out
