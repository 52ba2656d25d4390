# reference: adamw
# way: chain
# faster: both moments and the parameter are updated by launches of their own
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def first_moment(m_ptr, g_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = tl.load(m_ptr + i, mask=i < n, other=0.0)
    g = tl.load(g_ptr + i, mask=i < n, other=0.0)
    tl.store(out_ptr + i, 0.9 * m + 0.1 * g, mask=i < n)


@triton.jit
def second_moment(v_ptr, g_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(v_ptr + i, mask=i < n, other=0.0)
    g = tl.load(g_ptr + i, mask=i < n, other=0.0)
    tl.store(out_ptr + i, 0.999 * v + 0.001 * g * g, mask=i < n)


@triton.jit
def parameter(p_ptr, m_ptr, v_ptr, out_ptr, n, rate, decay, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    p = tl.load(p_ptr + i, mask=i < n, other=0.0)
    m = tl.load(m_ptr + i, mask=i < n, other=0.0) / 0.6513215599
    v = tl.load(v_ptr + i, mask=i < n, other=0.0) / 0.00995511979025209
    update = m / (tl.sqrt(v) + 1e-8)
    tl.store(out_ptr + i, p * (1.0 - rate * decay) - rate * update, mask=i < n)


class ModelNew(nn.Module):
    def __init__(self, rate, decay):
        super().__init__()
        self.rate = rate
        self.decay = decay

    def forward(self, p, g, m, v):
        n = p.numel()
        grid = (triton.cdiv(n, 512),)
        new_m = torch.empty_like(m)
        first_moment[grid](m, g, new_m, n, BLOCK=512)
        new_v = torch.empty_like(v)
        second_moment[grid](v, g, new_v, n, BLOCK=512)
        new_p = torch.empty_like(p)
        parameter[grid](p, new_m, new_v, new_p, n, self.rate, self.decay, BLOCK=512)
        return new_p, new_m, new_v
