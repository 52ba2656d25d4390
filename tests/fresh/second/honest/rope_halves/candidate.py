import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def rope_kernel(x_ptr, c_ptr, s_ptr, o_ptr, S, half, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    mask = i < half
    at = row * 2 * half + i
    a = tl.load(x_ptr + at, mask=mask)
    b = tl.load(x_ptr + at + half, mask=mask)
    c = tl.load(c_ptr + (row % S) * half + i, mask=mask)
    s = tl.load(s_ptr + (row % S) * half + i, mask=mask)
    tl.store(o_ptr + at, a * c - b * s, mask=mask)
    tl.store(o_ptr + at + half, b * c + a * s, mask=mask)


class ModelNew(nn.Module):
    def forward(self, x, cos, sin):
        x, cos, sin = x.contiguous(), cos.contiguous(), sin.contiguous()
        B, S, D = x.shape
        out = torch.empty_like(x)
        rope_kernel[(B * S,)](x, cos, sin, out, S, D // 2, BLOCK=triton.next_power_of_2(D // 2))
        return out
