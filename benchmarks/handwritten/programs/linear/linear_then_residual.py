# reference: linear_residual
# way: epilogue
# faster: scale and residual could be applied to the accumulator
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def matmul_nt(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid = tl.program_id(0)
    tiles_n = tl.cdiv(N, BN)
    rm = (pid // tiles_n) * BM + tl.arange(0, BM)
    rn = (pid % tiles_n) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k0 in range(0, K, BK):
        rk = k0 + tl.arange(0, BK)
        a = tl.load(a_ptr + rm[:, None] * K + rk[None, :], mask=(rm < M)[:, None] & (rk < K)[None, :], other=0.0)
        b = tl.load(b_ptr + rn[:, None] * K + rk[None, :], mask=(rn < N)[:, None] & (rk < K)[None, :], other=0.0)
        acc = tl.dot(a, tl.trans(b), acc, input_precision="ieee")
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc, mask=(rm < M)[:, None] & (rn < N)[None, :])


@triton.jit
def add_scaled(r_ptr, h_ptr, y_ptr, alpha, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(y_ptr + i, tl.load(r_ptr + i, mask=m) + alpha * tl.load(h_ptr + i, mask=m), mask=m)


class ModelNew(nn.Module):
    def forward(self, x, weight, residual):
        M, K = x.shape
        N = weight.shape[0]
        h = torch.empty((M, N), device=x.device, dtype=x.dtype)
        matmul_nt[(triton.cdiv(M, 16) * triton.cdiv(N, 32),)](x, weight, h, M, N, K, BM=16, BN=32, BK=32)
        y = torch.empty_like(residual)
        add_scaled[(triton.cdiv(M * N, 1024),)](residual, h, y, 0.5, M * N, BLOCK=1024)
        return y
