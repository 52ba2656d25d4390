# reference: matmul_long
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def split_k_kernel(A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLIT: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    part = tl.program_id(2)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(part * BK, K, BK * SPLIT):
        rk = k + tl.arange(0, BK)
        a = tl.load(A + rm[:, None] * K + rk[None, :], mask=rk[None, :] < K, other=0.0)
        b = tl.load(B + rk[:, None] * N + rn[None, :], mask=rk[:, None] < K, other=0.0)
        acc += tl.dot(a, b, input_precision="ieee")
    tl.atomic_add(C + rm[:, None] * N + rn[None, :], acc)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        M, K = a.shape
        N = b.shape[1]
        assert M % 16 == 0 and N % 16 == 0
        c = torch.zeros((M, N), device=a.device, dtype=a.dtype)  # atomics add to it
        split_k_kernel[(M // 16, N // 16, 4)](a, b, c, M, N, K, BM=16, BN=16, BK=64, SPLIT=4)
        return c
