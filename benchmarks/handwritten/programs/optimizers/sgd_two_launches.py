# reference: sgd_momentum
# way: chain
# faster: the momentum is written and read again for the step
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def momentum_kernel(p_ptr, g_ptr, m_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    g = tl.load(g_ptr + i, mask=i < n) + 0.01 * tl.load(p_ptr + i, mask=i < n)
    tl.store(out_ptr + i, 0.9 * tl.load(m_ptr + i, mask=i < n) + g, mask=i < n)


@triton.jit
def step_kernel(p_ptr, m_ptr, out_ptr, n, rate, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    p = tl.load(p_ptr + i, mask=i < n)
    tl.store(out_ptr + i, p - rate * tl.load(m_ptr + i, mask=i < n), mask=i < n)


class ModelNew(nn.Module):
    def forward(self, p, g, m):
        n = p.numel()
        grid = (triton.cdiv(n, 1024),)
        new_m = torch.empty_like(m)
        momentum_kernel[grid](p, g, m, new_m, n, BLOCK=1024)
        new_p = torch.empty_like(p)
        step_kernel[grid](p, new_m, new_p, n, 0.1, BLOCK=1024)
        return new_p, new_m
