import torch
import triton
import triton.language as tl


@triton.jit
def adamw(p_ptr, g_ptr, m_ptr, v_ptr, step_ptr, n, lr, decay, eps, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    t = tl.load(step_ptr).to(tl.float32)
    p = tl.load(p_ptr + i, mask=ok, other=0.0)
    g = tl.load(g_ptr + i, mask=ok, other=0.0)
    m = tl.load(m_ptr + i, mask=ok, other=0.0) * 0.9 + 0.1 * g
    v = tl.load(v_ptr + i, mask=ok, other=0.0) * 0.95 + 0.05 * g * g
    c1 = 1.0 - tl.exp2(t * -0.15200309344504995)
    c2 = 1.0 - tl.exp2(t * -0.07400058144377693)
    p = p * (1.0 - lr * decay) - lr * (m / c1) / (tl.sqrt(v / c2) + eps)
    tl.store(p_ptr + i, p, mask=ok)
    tl.store(m_ptr + i, m, mask=ok)
    tl.store(v_ptr + i, v, mask=ok)


def forward(p, g, m, v, step):
    n = p.numel()
    adamw[(triton.cdiv(n, 64),)](p, g, m, v, step, n, 1e-2, 0.1, 1e-8, BLOCK=64)
    return p
