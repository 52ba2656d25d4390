import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def step(p_ptr, g_ptr, m_ptr, count, lr, momentum, decay, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    p = tl.load(p_ptr + at, mask=inside, other=0.0)
    g = tl.load(g_ptr + at, mask=inside, other=0.0) + decay * p
    m = tl.load(m_ptr + at, mask=inside, other=0.0) * momentum + g
    tl.store(m_ptr + at, m, mask=inside)
    tl.store(p_ptr + at, p - lr * (g + momentum * m), mask=inside)


class ModelNew(nn.Module):
    def __init__(self, lr, momentum, decay):
        super().__init__()
        self.lr, self.momentum, self.decay = lr, momentum, decay

    def forward(self, p, g, m):
        step[(triton.cdiv(p.numel(), 256),)](p, g, m, p.numel(), self.lr, self.momentum, self.decay, BLOCK=256)
        return p
