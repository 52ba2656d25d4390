import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def adamw_kernel(p_ptr, g_ptr, m_ptr, v_ptr, lr, b1, b2, eps, wd, c1, c2, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    p = tl.load(p_ptr + i, mask=ok, other=0.0)
    g = tl.load(g_ptr + i, mask=ok, other=0.0)
    m = tl.load(m_ptr + i, mask=ok, other=0.0)
    v = tl.load(v_ptr + i, mask=ok, other=0.0)
    p = p * (1 - lr * wd)
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    p = p - lr * (m / c1) / (tl.sqrt(v / c2) + eps)
    tl.store(p_ptr + i, p, mask=ok)
    tl.store(m_ptr + i, m, mask=ok)
    tl.store(v_ptr + i, v, mask=ok)


class ModelNew(nn.Module):
    def forward(self, p, g, m, v):
        beta1, beta2, step = 0.9, 0.95, 3
        n = p.numel()
        grid = (triton.cdiv(n, 128),)
        adamw_kernel[grid](p, g, m, v, 1e-2, beta1, beta2, 1e-8, 0.1, 1 - beta1**step, 1 - beta2**step, n, BLOCK=128)
        return p
