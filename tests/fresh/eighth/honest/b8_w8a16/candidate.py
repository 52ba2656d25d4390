import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def dequant_matmul(
    x, codes, zero, scale, y, rows, dim, hidden,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
):
    m = tl.program_id(0) * M + tl.arange(0, M)
    n = tl.program_id(1) * N + tl.arange(0, N)
    z = tl.load(zero + n, mask=n < hidden, other=0).to(tl.float32)
    s = tl.load(scale + n, mask=n < hidden, other=0.0)
    acc = tl.zeros((M, N), tl.float32)
    for k0 in range(0, dim, K):
        k = k0 + tl.arange(0, K)
        a = tl.load(x + m[:, None] * dim + k[None, :], mask=(m < rows)[:, None] & (k < dim)[None, :], other=0.0)
        w = tl.load(codes + n[None, :] * dim + k[:, None], mask=(n < hidden)[None, :] & (k < dim)[:, None], other=0)
        w = (w.to(tl.float32) - z[None, :]) * s[None, :]
        acc = tl.dot(a.to(tl.float32), w, acc, input_precision="ieee")
    tl.store(y + m[:, None] * hidden + n[None, :], acc.to(tl.bfloat16), mask=(m < rows)[:, None] & (n < hidden)[None, :])


class ModelNew(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.register_buffer("codes", torch.randint(-128, 128, (hidden, dim), dtype=torch.int8))
        self.register_buffer("zero", torch.randint(-8, 8, (hidden,), dtype=torch.int32))
        self.register_buffer("scale", torch.rand(hidden) * 0.01 + 0.001)

    def forward(self, x):
        rows, dim = x.shape
        hidden = self.codes.shape[0]
        y = torch.empty((rows, hidden), device=x.device, dtype=x.dtype)
        grid = (triton.cdiv(rows, 16), triton.cdiv(hidden, 16))
        dequant_matmul[grid](x, self.codes, self.zero, self.scale, y, rows, dim, hidden, M=16, N=16, K=32)
        return y
