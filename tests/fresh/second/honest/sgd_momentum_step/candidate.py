import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def step_kernel(p_ptr, g_ptr, m_ptr, po_ptr, mo_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    m = 0.9 * tl.load(m_ptr + i, mask=mask) + tl.load(g_ptr + i, mask=mask)
    tl.store(mo_ptr + i, m, mask=mask)
    tl.store(po_ptr + i, tl.load(p_ptr + i, mask=mask) - 0.01 * m, mask=mask)


class ModelNew(nn.Module):
    def forward(self, p, g, m):
        p, g, m = p.contiguous(), g.contiguous(), m.contiguous()
        new_p = torch.empty_like(p)
        new_m = torch.empty_like(m)
        n = p.numel()
        step_kernel[(triton.cdiv(n, 128),)](p, g, m, new_p, new_m, n, BLOCK=128)
        return new_p, new_m
