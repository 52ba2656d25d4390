import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def sliding_attention(Q, K, V, S, O, sz, sh, sn, N, H, window, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    start_m = tl.program_id(0)
    zh = tl.program_id(1)
    z = zh // H
    h = zh % H
    base = z * sz + h * sh
    slope = tl.load(S + h)
    rm = start_m * BM + tl.arange(0, BM)
    rd = tl.arange(0, D)
    q = tl.load(Q + base + rm[:, None] * sn + rd[None, :], mask=rm[:, None] < N, other=0.0)
    m_i = tl.full([BM], float("-inf"), tl.float32)
    l_i = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    lo = tl.maximum(start_m * BM - window + 1, 0) // BN * BN
    hi = tl.minimum((start_m + 1) * BM, N)
    for start_n in range(lo, hi, BN):
        rn = start_n + tl.arange(0, BN)
        k = tl.load(K + base + rn[None, :] * sn + rd[:, None], mask=rn[None, :] < N, other=0.0)
        s = tl.dot(q, k, input_precision="ieee") * scale
        dist = rm[:, None] - rn[None, :]
        s = s - slope * dist
        s = tl.where((dist >= 0) & (dist < window), s, float("-inf"))
        m_new = tl.maximum(m_i, tl.max(s, 1))
        m_safe = tl.where(m_new == float("-inf"), 0.0, m_new)
        alpha = tl.exp(m_i - m_safe)
        p = tl.exp(s - m_safe[:, None])
        l_i = l_i * alpha + tl.sum(p, 1)
        v = tl.load(V + base + rn[:, None] * sn + rd[None, :], mask=rn[:, None] < N, other=0.0)
        acc = acc * alpha[:, None] + tl.dot(p, v, input_precision="ieee")
        m_i = m_new
    tl.store(O + base + rm[:, None] * sn + rd[None, :], acc / l_i[:, None], mask=rm[:, None] < N)


class ModelNew(nn.Module):
    def __init__(self, window):
        super().__init__()
        self.window = window

    def forward(self, q, k, v, slopes):
        q = q.contiguous()
        k = k.contiguous()
        v = v.contiguous()
        B, H, N, D = q.shape
        o = torch.empty_like(q)
        BM, BN = 16, 16
        sliding_attention[(triton.cdiv(N, BM), B * H)](q, k, v, slopes, o, q.stride(0), q.stride(1), q.stride(2), N, H, self.window, 1.0 / D**0.5, D=D, BM=BM, BN=BN)
        return o
