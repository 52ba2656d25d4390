import torch
import triton
import triton.language as tl


@triton.jit
def short(x_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * width + column, column < width, 0.0)
    apart = tl.where(column < width, x - tl.sum(x) / width, 0.0)
    tl.store(out_ptr + row * width + column, apart * tl.rsqrt(tl.sum(apart * apart) / width + 1e-5), column < width)


@triton.jit
def long(x_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    total = 0.0
    squares = 0.0
    for start in range(0, width, BLOCK):
        x = tl.load(x_ptr + row * width + start + column, start + column < width, 0.0)
        total += tl.sum(x)
        squares += tl.sum(x * x)
    mean = total / width
    scale = tl.rsqrt(squares / width - mean * mean + 1e-5)
    for start in range(0, width, BLOCK):
        x = tl.load(x_ptr + row * width + start + column, start + column < width, 0.0)
        tl.store(out_ptr + row * width + start + column, (x - mean) * scale, start + column < width)


def forward(x):
    out = torch.empty_like(x)
    if x.shape[1] <= 1024:
        short[(x.shape[0],)](x, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    else:
        long[(x.shape[0],)](x, out, x.shape[1], BLOCK=1024)
    return out
