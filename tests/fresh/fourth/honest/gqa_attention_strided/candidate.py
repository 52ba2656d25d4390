import torch
import triton
import triton.language as tl


@triton.jit
def gqa_kernel(q_ptr, k_ptr, v_ptr, o_ptr, sqb, sqn, sqh, skb, skn, skh, svb, svn, svh, sob, son, soh,
               H, GROUP, NQ, NK, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    m0 = tl.program_id(0) * BM
    b = tl.program_id(1) // H
    h = tl.program_id(1) % H
    hk = h // GROUP
    r = m0 + tl.arange(0, BM)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + b * sqb + h * sqh + r[:, None] * sqn + d[None, :], mask=r[:, None] < NQ, other=0.0) * scale
    m_i = tl.full((BM,), float("-inf"), tl.float32)
    l_i = tl.full((BM,), 0.0, tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for n0 in range(0, NK, BN):
        c = n0 + tl.arange(0, BN)
        kt = tl.load(k_ptr + b * skb + hk * skh + c[None, :] * skn + d[:, None], mask=c[None, :] < NK, other=0.0)
        v = tl.load(v_ptr + b * svb + hk * svh + c[:, None] * svn + d[None, :], mask=c[:, None] < NK, other=0.0)
        s = tl.dot(q, kt, input_precision="ieee")
        s = tl.where(c[None, :] < NK, s, float("-inf"))
        m_new = tl.maximum(m_i, tl.max(s, axis=1))
        p = tl.exp(s - m_new[:, None])
        fix = tl.exp(m_i - m_new)
        l_i = l_i * fix + tl.sum(p, axis=1)
        acc = tl.dot(p, v, acc * fix[:, None], input_precision="ieee")
        m_i = m_new
    tl.store(o_ptr + b * sob + h * soh + r[:, None] * son + d[None, :], acc / l_i[:, None], mask=r[:, None] < NQ)


def forward(q, k, v):
    B, NQ, H, D = q.shape
    NK, HK = k.shape[1], k.shape[2]
    o = torch.empty_like(q)
    grid = (triton.cdiv(NQ, 16), B * H)
    gqa_kernel[grid](q, k, v, o, q.stride(0), q.stride(1), q.stride(2), k.stride(0), k.stride(1), k.stride(2),
                     v.stride(0), v.stride(1), v.stride(2), o.stride(0), o.stride(1), o.stride(2),
                     H, H // HK, NQ, NK, D ** -0.5, D=D, BM=16, BN=16)
    return o
