import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def row_scales(v_ptr, g_ptr, scale_ptr, inner, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    v = tl.load(v_ptr + row * inner + col, mask=col < inner, other=0.0)
    length = tl.sqrt(tl.sum(v * v, axis=0))
    tl.store(scale_ptr + row, tl.load(g_ptr + row) / (length + 1e-6))


@triton.jit
def product(x_ptr, v_ptr, scale_ptr, bias_ptr, out_ptr, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros([BM, BN], dtype=tl.float32)
    for start in range(0, k, BK):
        rk = start + tl.arange(0, BK)
        x = tl.load(x_ptr + rm[:, None] * k + rk[None, :], mask=(rm[:, None] < m) & (rk[None, :] < k), other=0.0)
        v = tl.load(v_ptr + rn[None, :] * k + rk[:, None], mask=(rn[None, :] < n) & (rk[:, None] < k), other=0.0)
        acc = tl.dot(x, v, acc, input_precision="ieee")
    scale = tl.load(scale_ptr + rn, mask=rn < n, other=0.0)
    bias = tl.load(bias_ptr + rn, mask=rn < n, other=0.0)
    acc = acc * scale[None, :] + bias[None, :]
    tl.store(out_ptr + rm[:, None] * n + rn[None, :], acc, mask=(rm[:, None] < m) & (rn[None, :] < n))


class ModelNew(nn.Module):
    def __init__(self, inner, outer):
        super().__init__()
        self.v = nn.Parameter(torch.randn(outer, inner) * 0.1)
        self.g = nn.Parameter(torch.ones(outer))
        self.bias = nn.Parameter(torch.zeros(outer))

    def forward(self, x):
        m, k = x.shape
        n = self.v.shape[0]
        scale = torch.empty(n, device=x.device, dtype=x.dtype)
        row_scales[(n,)](self.v, self.g, scale, k, BLOCK=triton.next_power_of_2(k))
        out = torch.empty(m, n, device=x.device, dtype=x.dtype)
        product[(triton.cdiv(m, 16), triton.cdiv(n, 32))](x, self.v, scale, self.bias, out, m, n, k, BM=16, BN=32, BK=16)
        return out
