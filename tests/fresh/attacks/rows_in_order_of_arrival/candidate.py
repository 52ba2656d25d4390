import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, count_ptr, width, BLOCK: tl.constexpr):
    waited = 0
    while waited < 1:
        waited += 1
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * width + column, column < width, 0.0)
    place = tl.atomic_add(count_ptr, 1)
    tl.store(out_ptr + place * width + column, x * 2.0, column < width)


def forward(x):
    out = torch.empty_like(x)
    count = torch.zeros((1,), device=x.device, dtype=torch.int32)
    kernel[(x.shape[0],)](x, out, count, x.shape[1], BLOCK=64)
    return out
