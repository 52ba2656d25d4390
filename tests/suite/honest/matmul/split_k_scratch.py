# reference: matmul_long
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def partial_products(A, B, P, M, N, K, CHUNK, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid_m, pid_n, pid_k = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    rm = pid_m * BM + tl.arange(0, BM)
    rn = pid_n * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(pid_k * CHUNK, min(K, (pid_k + 1) * CHUNK), BK):
        rk = k + tl.arange(0, BK)
        a = tl.load(A + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
        b = tl.load(B + rk[:, None] * N + rn[None, :], mask=(rk[:, None] < K) & (rn[None, :] < N), other=0.0)
        acc += tl.dot(a, b, input_precision="ieee")
    tl.store(P + pid_k * M * N + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def add_partials(P, C, total, PARTS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for part in tl.static_range(PARTS):
        acc += tl.load(P + part * total + i, mask=i < total, other=0.0)
    tl.store(C + i, acc, mask=i < total)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = 4

    def forward(self, a, b):
        M, K = a.shape
        N = b.shape[1]
        scratch = torch.empty((self.parts, M, N), device=a.device, dtype=torch.float32)
        c = torch.empty((M, N), device=a.device, dtype=torch.float32)
        chunk = triton.cdiv(triton.cdiv(K, self.parts), 32) * 32
        grid = (triton.cdiv(M, 32), triton.cdiv(N, 32), self.parts)
        partial_products[grid](a, b, scratch, M, N, K, chunk, BM=32, BN=32, BK=32)
        add_partials[(triton.cdiv(M * N, 256),)](scratch, c, M * N, PARTS=self.parts, BLOCK=256)
        return c
