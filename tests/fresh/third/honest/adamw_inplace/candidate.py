import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def adamw(p_ptr, g_ptr, m_ptr, v_ptr, n, keep, step_size, root, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    p = tl.load(p_ptr + i, mask=mask, other=0.0)
    g = tl.load(g_ptr + i, mask=mask, other=0.0)
    m = tl.load(m_ptr + i, mask=mask, other=0.0) * 0.9 + g * 0.1
    v = tl.load(v_ptr + i, mask=mask, other=0.0) * 0.95 + g * g * 0.05
    p = p * keep - step_size * (m / (tl.sqrt(v) / root + 1e-8))
    tl.store(m_ptr + i, m, mask=mask)
    tl.store(v_ptr + i, v, mask=mask)
    tl.store(p_ptr + i, p, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, lr, decay, step):
        super().__init__()
        self.lr = lr
        self.decay = decay
        self.step = step

    def forward(self, p, g, m, v):
        n = p.numel()
        c1 = 1 - 0.9**self.step
        c2 = 1 - 0.95**self.step
        adamw[(triton.cdiv(n, 128),)](p, g, m, v, n, 1 - self.lr * self.decay, self.lr / c1, c2**0.5, BLOCK=128)
        return p
