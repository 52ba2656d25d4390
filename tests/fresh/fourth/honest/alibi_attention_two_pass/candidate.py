import torch
import triton
import triton.language as tl


@triton.jit
def scores_kernel(q_ptr, k_ptr, slope_ptr, s_ptr, n, heads, D: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.program_id(1) * B + tl.arange(0, B)
    bh = tl.program_id(2)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + (bh * n + i[:, None]) * D + d[None, :], mask=i[:, None] < n, other=0.0)
    k = tl.load(k_ptr + (bh * n + j[None, :]) * D + d[:, None], mask=j[None, :] < n, other=0.0)
    slope = tl.load(slope_ptr + bh % heads)
    gap = i[:, None] - j[None, :]
    s = tl.dot(q, k, input_precision="ieee") / 4.0 - slope * gap.to(tl.float32)
    s = tl.where(gap < 0, float("-inf"), s)
    tl.store(s_ptr + (bh * n + i[:, None]) * n + j[None, :], s, mask=(i[:, None] < n) & (j[None, :] < n))


@triton.jit
def softmax_kernel(s_ptr, p_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    s = tl.load(s_ptr + row * n + c, mask=c < n, other=float("-inf"))
    e = tl.exp(s - tl.max(s, 0))
    tl.store(p_ptr + row * n + c, e / tl.sum(e, 0), mask=c < n)


@triton.jit
def values_kernel(p_ptr, v_ptr, o_ptr, n, D: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    bh = tl.program_id(1)
    d = tl.arange(0, D)
    acc = tl.zeros([B, D], tl.float32)
    for j0 in range(0, n, B):
        j = j0 + tl.arange(0, B)
        p = tl.load(p_ptr + (bh * n + i[:, None]) * n + j[None, :], mask=(i[:, None] < n) & (j[None, :] < n), other=0.0)
        v = tl.load(v_ptr + (bh * n + j[:, None]) * D + d[None, :], mask=j[:, None] < n, other=0.0)
        acc += tl.dot(p, v, input_precision="ieee")
    tl.store(o_ptr + (bh * n + i[:, None]) * D + d[None, :], acc, mask=i[:, None] < n)


def forward(q, k, v, slopes):
    b, h, n, d = q.shape
    scores = torch.empty((b * h, n, n), device=q.device, dtype=torch.float32)
    probs = torch.empty_like(scores)
    out = torch.empty_like(q)
    tiles = triton.cdiv(n, 16)
    scores_kernel[(tiles, tiles, b * h)](q, k, slopes, scores, n, h, D=d, B=16)
    softmax_kernel[(b * h * n,)](scores, probs, n, BLOCK=triton.next_power_of_2(n))
    values_kernel[(tiles, b * h)](probs, v, out, n, D=d, B=16)
    return out
