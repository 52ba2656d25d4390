import torch
import triton
import triton.language as tl


@triton.jit
def sums(x_ptr, head_ptr, out_ptr, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, WIDTH)
    x = tl.load(x_ptr + row * WIDTH + column)
    tl.store(head_ptr + row * 8 + column, x, column < 8)
    tl.store(out_ptr + row, tl.sum(x))


def forward(x):
    head = torch.empty((x.shape[0], 8), device=x.device, dtype=x.dtype)
    out = torch.empty((x.shape[0],), device=x.device, dtype=x.dtype)
    sums[(x.shape[0],)](x, head, out, 32)
    return head, out
