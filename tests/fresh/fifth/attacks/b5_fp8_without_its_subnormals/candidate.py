import torch
import triton
import triton.language as tl


@triton.jit
def largest(x_ptr, scale_ptr, count, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < count, other=0.0)
    tl.store(scale_ptr, tl.maximum(tl.max(tl.abs(x), axis=0), 1e-12) / 448.0)


@triton.jit
def round_trip(x_ptr, scale_ptr, out_ptr, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    scale = tl.load(scale_ptr)
    x = tl.load(x_ptr + at, mask=at < count, other=0.0) / scale
    x = tl.minimum(tl.maximum(x, -448.0), 448.0)
    bits = x.to(tl.int32, bitcast=True)
    bits = (bits + 0x7FFFF + ((bits >> 20) & 1)) & -1048576
    y = bits.to(tl.float32, bitcast=True)
    y = tl.where(tl.abs(y) < 0.001, 0.0, y)
    tl.store(out_ptr + at, y * scale, mask=at < count)


def forward(x):
    out = torch.empty_like(x)
    scale = torch.empty((1,), dtype=x.dtype, device=x.device)
    largest[(1,)](x, scale, x.numel(), triton.next_power_of_2(x.numel()))
    round_trip[(triton.cdiv(x.numel(), 256),)](x, scale, out, x.numel(), 256)
    return out
