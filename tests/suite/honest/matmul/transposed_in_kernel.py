# reference: matmul_bt
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def matmul_transposed_b(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        a = tl.load(a_ptr + rm[:, None] * K + (k * BK + rk)[None, :], mask=(rm[:, None] < M) & ((k * BK + rk)[None, :] < K), other=0.0)
        bt = tl.load(b_ptr + rn[:, None] * K + (k * BK + rk)[None, :], mask=(rn[:, None] < N) & ((k * BK + rk)[None, :] < K), other=0.0)
        acc += tl.dot(a, tl.trans(bt), input_precision="ieee")
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        assert a.is_contiguous() and b.is_contiguous(), "row-major matrices expected"
        M, K = a.shape
        N, _ = b.shape
        c = torch.empty((M, N), device=a.device, dtype=a.dtype)
        matmul_transposed_b[(triton.cdiv(M, 32), triton.cdiv(N, 16))](a, b, c, M, N, K, BM=32, BN=16, BK=32)
        return c
