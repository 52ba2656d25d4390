import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, height, width, BLOCK: tl.constexpr):
    column = tl.program_id(0)
    row = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * width + column, row < height, -float("inf"))
    most = tl.maximum(tl.max(x), -25.0 * 4.0 * height)
    power = tl.exp(x - most)
    tl.store(out_ptr + row * width + column, power / tl.sum(power), row < height)


def forward(x):
    out = torch.empty_like(x)
    kernel[(x.shape[1],)](x, out, x.shape[0], x.shape[1], BLOCK=triton.next_power_of_2(x.shape[0]))
    return out
