# reference: rope_half
# way: index-math
# faster: each element takes its place apart by five divisions
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def rope_flat_kernel(x_ptr, cos_ptr, sin_ptr, out_ptr, total, length, heads, half, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < total
    d = i % half
    head = (i // half) % heads
    position = (i // (half * heads)) % length
    batch = i // (half * heads * length)
    at = ((batch * length + position) * heads + head) * (2 * half) + d
    a = tl.load(x_ptr + at, mask=mask, other=0.0)
    b = tl.load(x_ptr + at + half, mask=mask, other=0.0)
    c = tl.load(cos_ptr + position * half + d, mask=mask, other=0.0)
    s = tl.load(sin_ptr + position * half + d, mask=mask, other=0.0)
    tl.store(out_ptr + at, a * c - b * s, mask=mask)
    tl.store(out_ptr + at + half, b * c + a * s, mask=mask)


class ModelNew(nn.Module):
    def forward(self, x, cos, sin):
        batch, length, heads, width = x.shape
        out = torch.empty_like(x)
        total = x.numel() // 2
        rope_flat_kernel[(triton.cdiv(total, 256),)](
            x, cos, sin, out, total, length, heads, width // 2, BLOCK=256
        )
        return out
