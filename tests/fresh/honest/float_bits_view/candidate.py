import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def split_bits(b_ptr, e_ptr, m_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    bits = tl.load(b_ptr + i, mask=ok, other=0)
    tl.store(e_ptr + i, ((bits >> 23) & 0xFF) - 127, mask=ok)
    tl.store(m_ptr + i, bits & 0x7FFFFF, mask=ok)


class ModelNew(nn.Module):
    def forward(self, x):
        bits = x.view(torch.int32)
        e, m = torch.empty_like(bits), torch.empty_like(bits)
        split_bits[(triton.cdiv(x.numel(), 64),)](bits, e, m, x.numel(), BLOCK=64)
        return e, m
