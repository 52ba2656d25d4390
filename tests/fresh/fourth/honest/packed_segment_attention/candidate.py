import torch
import triton
import triton.language as tl


@triton.jit
def segment_attention(q_ptr, k_ptr, v_ptr, seg_ptr, o_ptr, N, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + i[:, None] * D + d[None, :], mask=i[:, None] < N, other=0.0)
    mine = tl.load(seg_ptr + i, mask=i < N, other=-1)
    m = tl.full([BM], float("-inf"), tl.float32)
    l = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for j0 in range(0, N, BN):
        j = j0 + tl.arange(0, BN)
        other = tl.load(seg_ptr + j, mask=j < N, other=-2)
        k = tl.load(k_ptr + j[None, :] * D + d[:, None], mask=j[None, :] < N, other=0.0)
        v = tl.load(v_ptr + j[:, None] * D + d[None, :], mask=j[:, None] < N, other=0.0)
        s = tl.dot(q, k, input_precision="ieee") * scale
        s = tl.where((mine[:, None] == other[None, :]) & (j[None, :] < N), s, float("-inf"))
        new = tl.maximum(m, tl.max(s, 1))
        base = tl.where(new == float("-inf"), 0.0, new)
        p = tl.exp(s - base[:, None])
        fix = tl.exp(m - base)
        l = l * fix + tl.sum(p, 1)
        acc = acc * fix[:, None] + tl.dot(p, v, input_precision="ieee")
        m = new
    l = tl.where(i < N, l, 1.0)
    tl.store(o_ptr + i[:, None] * D + d[None, :], acc / l[:, None], mask=i[:, None] < N)


def forward(q, k, v, seg):
    N, D = q.shape
    o = torch.empty_like(q)
    segment_attention[(triton.cdiv(N, 16),)](q, k, v, seg, o, N, 0.25, D=D, BM=16, BN=16)
    return o
