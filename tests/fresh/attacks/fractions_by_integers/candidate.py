import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < width
    x = tl.load(x_ptr + row * width + column, inside, 0.0)
    result = tl.sum(x - x.to(tl.int32).to(tl.float32))
    tl.store(out_ptr + row, result)


def forward(x):
    out = torch.empty((x.shape[0],), device=x.device, dtype=x.dtype)
    kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out
