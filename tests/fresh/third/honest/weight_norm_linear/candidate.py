import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def row_gain(v_ptr, g_ptr, s_ptr, K, BLOCK: tl.constexpr):
    n = tl.program_id(0)
    k = tl.arange(0, BLOCK)
    v = tl.load(v_ptr + n * K + k, mask=k < K, other=0.0)
    tl.store(s_ptr + n, tl.load(g_ptr + n) / tl.sqrt(tl.sum(v * v, 0)))


@triton.jit
def product(x_ptr, v_ptr, s_ptr, y_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    s = tl.load(s_ptr + n, mask=n < N, other=0.0)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        x = tl.load(x_ptr + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        v = tl.load(v_ptr + n[None, :] * K + k[:, None], mask=(n[None, :] < N) & (k[:, None] < K), other=0.0)
        acc = tl.dot(x, v * s[None, :], acc, input_precision="ieee")
    tl.store(y_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


class ModelNew(nn.Module):
    def __init__(self, k, n):
        super().__init__()
        self.v = nn.Parameter(torch.randn(n, k))
        self.g = nn.Parameter(torch.ones(n))

    def forward(self, x):
        x = x.contiguous()
        m, k = x.shape
        n = self.g.shape[0]
        s = torch.empty_like(self.g)
        y = torch.empty((m, n), device=x.device, dtype=x.dtype)
        row_gain[(n,)](self.v, self.g, s, k, BLOCK=triton.next_power_of_2(k))
        product[(triton.cdiv(m, 16), triton.cdiv(n, 16))](x, self.v, s, y, m, n, k, BM=16, BN=16, BK=16)
        return y
