import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def lion(p_ptr, g_ptr, m_ptr, n, keep, lr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    p = tl.load(p_ptr + i, mask=mask, other=0.0)
    g = tl.load(g_ptr + i, mask=mask, other=0.0)
    m = tl.load(m_ptr + i, mask=mask, other=0.0)
    u = m * 0.875 + g * 0.125
    sign = tl.where(u > 0, 1.0, tl.where(u < 0, -1.0, 0.0))
    tl.store(p_ptr + i, p * keep - sign * lr, mask=mask)
    tl.store(m_ptr + i, m * 0.96875 + g * 0.03125, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, lr, decay):
        super().__init__()
        self.lr = lr
        self.decay = decay

    def forward(self, params, grads, momenta):
        for p, g, m in zip(params, grads, momenta):
            n = p.numel()
            lion[(triton.cdiv(n, 64),)](p, g, m, n, 1 - self.lr * self.decay, self.lr, BLOCK=64)
        return params
