import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def adam(p_ptr, g_ptr, m_ptr, v_ptr, fix1_ptr, fix2_ptr, count, lr, b1, b2, eps, decay, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    g = tl.load(g_ptr + at, mask=inside, other=0.0)
    m = tl.load(m_ptr + at, mask=inside, other=0.0) * b1 + g * (1.0 - b1)
    v = tl.load(v_ptr + at, mask=inside, other=0.0) * b2 + g * g * (1.0 - b2)
    p = tl.load(p_ptr + at, mask=inside, other=0.0) * (1.0 - lr * decay)
    p -= lr * (m / tl.load(fix1_ptr)) / (tl.sqrt(v / tl.load(fix2_ptr)) + eps)
    tl.store(p_ptr + at, p, mask=inside)
    tl.store(m_ptr + at, m, mask=inside)
    tl.store(v_ptr + at, v, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, lr, b1, b2, eps, decay):
        super().__init__()
        self.lr, self.b1, self.b2, self.eps, self.decay = lr, b1, b2, eps, decay

    def forward(self, p, g, m, v, fix1, fix2):
        count = p.numel()
        adam[(triton.cdiv(count, 128),)](p, g, m, v, fix1, fix2, count, self.lr, self.b1, self.b2, self.eps, self.decay, BLOCK=128)
        return p, m, v
