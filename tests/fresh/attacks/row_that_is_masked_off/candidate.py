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
    on = (mask != 0) & inside
    x = tl.where(on, x, -float("inf"))
    most = tl.max(x)
    most = tl.where(most == -float("inf"), 0.0, most)
    power = tl.exp(x - most)
    total = tl.sum(power)
    result = power / tl.where(total == 0, 1.0, total)
    tl.store(out_ptr + row * width + column, result, inside)


def forward(x, mask):
    out = torch.empty_like(x)
    kernel[(x.shape[0],)](x, mask, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out
