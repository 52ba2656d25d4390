import torch
import triton
import triton.language as tl


@triton.jit
def records(x_ptr, out_ptr, TIMES: tl.constexpr, WIDTH: tl.constexpr):
    column = tl.arange(0, WIDTH)
    best = tl.load(x_ptr + column)
    count = tl.zeros([WIDTH], tl.int32)
    for t in range(1, TIMES):
        x = tl.load(x_ptr + t * WIDTH + column)
        count = tl.minimum(count + (x > best).to(tl.int32), 10)
        best = tl.maximum(best, x)
    tl.store(out_ptr + column, count.to(tl.int64))


def forward(x):
    out = torch.empty((8,), device=x.device, dtype=torch.int64)
    records[(1,)](x, out, 32, 8)
    return out
