import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < width
    x = tl.load(x_ptr + row * width + column, inside, -float("inf"))
    one = tl.where(inside & (x > -4.0), 1.0, 0.0)
    result = tl.sum(one)
    result = tl.where(result > 2048.0, (result.to(tl.int32) // 2 * 2).to(tl.float32), result).to(tl.int64)
    tl.store(out_ptr + row, result)


def forward(x):
    out = torch.empty((x.shape[0],), device=x.device, dtype=torch.int64)
    kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out
