import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def int8_gemm(x, w, sx, sw, y, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.int32)
    for k0 in range(0, K, BK):
        k = k0 + tl.arange(0, BK)
        a = tl.load(x + i[:, None] * K + k[None, :], mask=(i[:, None] < M) & (k[None, :] < K), other=0)
        b = tl.load(w + j[None, :] * K + k[:, None], mask=(j[None, :] < N) & (k[:, None] < K), other=0)
        acc += tl.dot(a, b, out_dtype=tl.int32)
    u = tl.load(sx + i, mask=i < M, other=0.0)
    v = tl.load(sw + j, mask=j < N, other=0.0)
    out = acc.to(tl.float32) * u[:, None] * v[None, :]
    tl.store(y + i[:, None] * N + j[None, :], out, mask=(i[:, None] < M) & (j[None, :] < N))


class ModelNew(nn.Module):
    def __init__(self, k, n):
        super().__init__()
        self.register_buffer("code", torch.randint(-127, 128, (n, k), dtype=torch.int8))
        self.register_buffer("step", torch.rand(n) * 0.01)

    def forward(self, x, scale):
        M, K = x.shape
        N = self.code.shape[0]
        y = torch.empty((M, N), device=x.device, dtype=torch.float32)
        grid = (triton.cdiv(M, 16), triton.cdiv(N, 16))
        int8_gemm[grid](x, self.code, scale, self.step, y, M, N, K, BM=16, BN=16, BK=32)
        return y
