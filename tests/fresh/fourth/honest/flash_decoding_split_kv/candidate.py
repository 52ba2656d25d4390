import torch
import triton
import triton.language as tl


@triton.jit
def split_kernel(q_ptr, k_ptr, v_ptr, m_ptr, l_ptr, a_ptr, n, per_split, splits, scale, D: tl.constexpr, BN: tl.constexpr):
    bh = tl.program_id(0)
    part = tl.program_id(1)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + bh * D + d) * scale
    m = -float("inf")
    l = 0.0
    acc = tl.zeros([D], tl.float32)
    first = part * per_split
    last = tl.minimum(first + per_split, n)
    for j in range(first, last, BN):
        c = j + tl.arange(0, BN)
        ok = c < last
        k = tl.load(k_ptr + (bh * n + c[:, None]) * D + d[None, :], mask=ok[:, None], other=0.0)
        v = tl.load(v_ptr + (bh * n + c[:, None]) * D + d[None, :], mask=ok[:, None], other=0.0)
        s = tl.where(ok, tl.sum(k * q[None, :], 1), -float("inf"))
        new = tl.maximum(m, tl.max(s, 0))
        p = tl.exp(s - new)
        alpha = tl.exp(m - new)
        l = l * alpha + tl.sum(p, 0)
        acc = acc * alpha + tl.sum(p[:, None] * v, 0)
        m = new
    at = bh * splits + part
    tl.store(m_ptr + at, m)
    tl.store(l_ptr + at, l)
    tl.store(a_ptr + at * D + d, acc)


@triton.jit
def combine_kernel(m_ptr, l_ptr, a_ptr, o_ptr, splits, D: tl.constexpr, S: tl.constexpr):
    bh = tl.program_id(0)
    s = tl.arange(0, S)
    d = tl.arange(0, D)
    ok = s < splits
    m = tl.load(m_ptr + bh * splits + s, mask=ok, other=-float("inf"))
    l = tl.load(l_ptr + bh * splits + s, mask=ok, other=0.0)
    a = tl.load(a_ptr + (bh * splits + s[:, None]) * D + d[None, :], mask=ok[:, None], other=0.0)
    w = tl.exp(m - tl.max(m, 0))
    tl.store(o_ptr + bh * D + d, tl.sum(a * w[:, None], 0) / tl.sum(l * w, 0))


def forward(q, k, v):
    b, h, d = q.shape
    n = k.shape[2]
    splits = 4
    per_split = triton.cdiv(n, splits)
    m = torch.empty((b * h, splits), device=q.device, dtype=torch.float32)
    l = torch.empty((b * h, splits), device=q.device, dtype=torch.float32)
    a = torch.empty((b * h, splits, d), device=q.device, dtype=torch.float32)
    o = torch.empty_like(q)
    split_kernel[(b * h, splits)](q, k, v, m, l, a, n, per_split, splits, d ** -0.5, D=d, BN=16)
    combine_kernel[(b * h,)](m, l, a, o, splits, D=d, S=triton.next_power_of_2(splits))
    return o
