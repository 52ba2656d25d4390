import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * width + column, column < width, -float("inf"))
    most = tl.max(x)
    place = tl.argmax(x, axis=0)
    twice = tl.sum(tl.where(x == most, 1, 0)) > 1
    tl.store(out_ptr + row, tl.where(twice, 0, place).to(tl.int64))


def forward(x):
    out = torch.empty((x.shape[0],), device=x.device, dtype=torch.int64)
    kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out
