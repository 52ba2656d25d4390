import torch
import triton
import triton.language as tl


@triton.jit
def layer_norm(x_ptr, out_ptr, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < WIDTH
    pivot = tl.load(x_ptr)
    x = tl.load(x_ptr + row * WIDTH + at, mask=inside, other=0.0)
    y = tl.where(inside, x - pivot, 0.0)
    mean = tl.sum(y, axis=0) / WIDTH
    variance = tl.maximum(tl.sum(y * y, axis=0) / WIDTH - mean * mean, 0.0)
    tl.store(out_ptr + row * WIDTH + at, (y - mean) * tl.rsqrt(variance + 1e-5), mask=inside)


def forward(x):
    out = torch.empty_like(x)
    layer_norm[(x.shape[0],)](x, out, x.shape[1], triton.next_power_of_2(x.shape[1]))
    return out
