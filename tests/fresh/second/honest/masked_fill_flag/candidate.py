import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def fill_kernel(x_ptr, m_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask, other=0.0)
    m = tl.load(m_ptr + i, mask=mask, other=0)
    tl.store(o_ptr + i, tl.where(m != 0, -1.5, x), mask=mask)


class ModelNew(nn.Module):
    def forward(self, x, m):
        x, m = x.contiguous(), m.contiguous()
        out = torch.empty_like(x)
        fill_kernel[(triton.cdiv(x.numel(), 64),)](x, m, out, x.numel(), BLOCK=64)
        return out
