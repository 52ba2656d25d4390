import torch
import torch.nn as nn
import triton
import triton.language as tl


SPLITS = 4


@triton.jit
def split_k(a_ptr, b_ptr, c_ptr, M, N, K, PER: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    first = tl.program_id(2) * PER
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k0 in range(first, first + PER, BK):
        rk = k0 + tl.arange(0, BK)
        live = (rk < K) & (rk < first + PER)
        a = tl.load(a_ptr + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & live[None, :], other=0.0)
        b = tl.load(b_ptr + rk[:, None] * N + rn[None, :], mask=live[:, None] & (rn[None, :] < N), other=0.0)
        acc += tl.dot(a, b)
    tl.atomic_add(c_ptr + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        m, k = a.shape
        n = b.shape[1]
        c = torch.zeros((m, n), device=a.device, dtype=torch.float32)
        per = triton.cdiv(k, SPLITS)
        split_k[(triton.cdiv(m, 16), triton.cdiv(n, 16), SPLITS)](a, b, c, m, n, k, per, 16, 16, 32)
        return c
