import torch
import triton
import triton.language as tl


@triton.jit
def total(x_ptr, out_ptr, n, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    sums = tl.zeros([BLOCK], tl.int32)
    for column in range(WIDTH):
        sums += tl.load(x_ptr + row * WIDTH + column, row < n, 0)
    tl.store(out_ptr + row, sums.to(tl.int64), row < n)


def forward(x):
    out = torch.empty((x.shape[0],), device=x.device, dtype=torch.int64)
    total[(triton.cdiv(x.shape[0], 4),)](x, out, x.shape[0], x.shape[1], 4)
    return out
