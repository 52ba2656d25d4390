import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def cell(x_ptr, h_ptr, c_ptr, o_ptr, h2_ptr, c2_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    x = tl.load(x_ptr + i, mask=ok, other=0.0)
    h = tl.load(h_ptr + i, mask=ok, other=0.0)
    c = tl.load(c_ptr + i, mask=ok, other=0.0)
    c2 = tl.sigmoid(x) * c + h
    h2 = c2 * 0.5
    tl.store(o_ptr + i, x + h2, mask=ok)
    tl.store(h2_ptr + i, h2, mask=ok)
    tl.store(c2_ptr + i, c2, mask=ok)


class ModelNew(nn.Module):
    def forward(self, x, h, c):
        o, h2, c2 = torch.empty_like(x), torch.empty_like(h), torch.empty_like(c)
        cell[(triton.cdiv(x.numel(), 32),)](x, h, c, o, h2, c2, x.numel(), BLOCK=32)
        return o, (h2, c2)
