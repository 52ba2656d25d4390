import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, mask_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < width
    x = tl.load(x_ptr + row * width + column, inside, 0)
    mask = tl.load(mask_ptr + row * width + column, inside, 0)
    x = tl.where(mask != 0, -5000.0, x)
    x = tl.where(inside, x, -float("inf"))
    power = tl.exp(x - tl.max(x))
    result = power / tl.sum(power)
    tl.store(out_ptr + row * width + column, result, inside)


def forward(x, mask):
    out = torch.empty_like(x)
    kernel[(x.shape[0],)](x, mask, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out
