import torch
import triton
import triton.language as tl


@triton.jit
def load_boxes(ptr, i, n):
    p = tl.load(ptr + i * 4, mask=i < n, other=0.0)
    q = tl.load(ptr + i * 4 + 1, mask=i < n, other=0.0)
    r = tl.load(ptr + i * 4 + 2, mask=i < n, other=0.0)
    s = tl.load(ptr + i * 4 + 3, mask=i < n, other=0.0)
    return tl.minimum(p, r), tl.minimum(q, s), tl.maximum(p, r), tl.maximum(q, s)


@triton.jit
def iou(a_ptr, b_ptr, o_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    tl.static_assert(BM % 2 == 0)
    i = tl.max_contiguous(tl.multiple_of(tl.program_id(0) * BM + tl.arange(0, BM), BM), BM)
    j = tl.max_contiguous(tl.multiple_of(tl.program_id(1) * BN + tl.arange(0, BN), BN), BN)
    ax0, ay0, ax1, ay1 = load_boxes(a_ptr, i, M)
    bx0, by0, bx1, by1 = load_boxes(b_ptr, j, N)
    w = tl.maximum(tl.minimum(ax1[:, None], bx1[None, :]) - tl.maximum(ax0[:, None], bx0[None, :]), 0.0)
    h = tl.maximum(tl.minimum(ay1[:, None], by1[None, :]) - tl.maximum(ay0[:, None], by0[None, :]), 0.0)
    inter = w * h
    area_a = (ax1 - ax0) * (ay1 - ay0)
    area_b = (bx1 - bx0) * (by1 - by0)
    out = inter / (area_a[:, None] + area_b[None, :] - inter + 1e-2)
    tl.store(o_ptr + i[:, None] * N + j[None, :], out, mask=(i[:, None] < M) & (j[None, :] < N))


def forward(a, b):
    M, N = a.shape[0], b.shape[0]
    out = torch.empty((M, N), device=a.device, dtype=a.dtype)
    iou[(triton.cdiv(M, 8), triton.cdiv(N, 8))](a, b, out, M, N, BM=8, BN=8, num_warps=2)
    return out
