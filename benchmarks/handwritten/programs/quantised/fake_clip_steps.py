# reference: fake_clip
# way: chain
# faster: four launches over the same elements
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def to_grid(x_ptr, s_ptr, z_ptr, o_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    m = c < cols
    x = tl.load(x_ptr + row * cols + c, mask=m, other=0.0)
    q = x / tl.load(s_ptr + c, mask=m, other=1.0) + tl.load(z_ptr + c, mask=m, other=0.0)
    tl.store(o_ptr + row * cols + c, q, mask=m)


@triton.jit
def clip(x_ptr, o_ptr, cols, low, high, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    m = c < cols
    x = tl.load(x_ptr + row * cols + c, mask=m, other=0.0)
    x = tl.where(x < low, low, x)
    x = tl.where(x > high, high, x)
    tl.store(o_ptr + row * cols + c, x, mask=m)


@triton.jit
def from_grid(q_ptr, s_ptr, z_ptr, o_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    m = c < cols
    q = tl.load(q_ptr + row * cols + c, mask=m, other=0.0)
    x = (q - tl.load(z_ptr + c, mask=m, other=0.0)) * tl.load(s_ptr + c, mask=m, other=1.0)
    tl.store(o_ptr + row * cols + c, x, mask=m)


class ModelNew(nn.Module):
    def forward(self, x, scale, zero):
        rows, cols = x.shape
        block = triton.next_power_of_2(cols)
        q = torch.empty_like(x)
        to_grid[(rows,)](x, scale, zero, q, cols, BLOCK=block)
        clipped = torch.empty_like(x)
        clip[(rows,)](q, clipped, cols, -128.0, 127.0, BLOCK=block)
        out = torch.empty_like(x)
        from_grid[(rows,)](clipped, scale, zero, out, cols, BLOCK=block)
        return out
