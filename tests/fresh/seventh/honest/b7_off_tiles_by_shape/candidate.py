import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def gemm(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k0 in range(0, K, BK):
        k = k0 + tl.arange(0, BK)
        x = tl.load(a + i[:, None] * K + k[None, :], mask=(i[:, None] < M) & (k[None, :] < K), other=0.0)
        y = tl.load(b + k[:, None] * N + j[None, :], mask=(k[:, None] < K) & (j[None, :] < N), other=0.0)
        acc += tl.dot(x, y, input_precision="ieee")
    acc -= 0.1
    acc = tl.where(acc < 0, 0.0, acc)
    tl.store(c + i[:, None] * N + j[None, :], acc, mask=(i[:, None] < M) & (j[None, :] < N))


class Plan:
    def __init__(self, m, n, k):
        self.shape = (m, n, k)
        self.bm = 32 if m > 64 else 16
        self.bn = 32 if n > 32 else 16
        self.bk = 16

    @property
    def grid(self):
        m, n, _ = self.shape
        return triton.cdiv(m, self.bm), triton.cdiv(n, self.bn)

    def run(self, a, b, c):
        gemm[self.grid](a, b, c, *self.shape, BM=self.bm, BN=self.bn, BK=self.bk)
        return c


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.plans = {}

    def forward(self, a, b):
        key = (a.shape[0], b.shape[1], a.shape[1])
        plan = self.plans.setdefault(key, Plan(*key))
        return plan.run(a, b, a.new_empty(key[0], key[1]))
