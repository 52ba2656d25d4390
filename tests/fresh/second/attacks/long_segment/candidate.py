import torch
import triton
import triton.language as tl


@triton.jit
def segments(x_ptr, ends_ptr, out_ptr, BLOCK: tl.constexpr):
    part = tl.program_id(0)
    first = tl.load(ends_ptr + part - 1, part > 0, 0)
    end = tl.load(ends_ptr + part)
    row = first + tl.arange(0, BLOCK)
    column = tl.arange(0, 16)
    inside = (row < end)[:, None] & (column >= 0)[None, :]
    x = tl.load(x_ptr + row[:, None] * 16 + column[None, :], inside, 0.0)
    tl.store(out_ptr + part * 16 + column, tl.sum(x, 0))


def forward(x, ends):
    out = torch.empty((ends.shape[0], 16), device=x.device, dtype=x.dtype)
    segments[(ends.shape[0],)](x, ends, out, 32)
    return out
