import math

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def quantized_linear(x, code, step, y, n, m, K: tl.constexpr, BN: tl.constexpr, BM: tl.constexpr):
    i = tl.program_id(0) * BN + tl.arange(0, BN)
    j = tl.program_id(1) * BM + tl.arange(0, BM)
    k = tl.arange(0, K)
    a = tl.load(x + i[:, None] * K + k[None, :], mask=i[:, None] < n, other=0.0)
    w = tl.load(code + j[None, :] * K + k[:, None], mask=j[None, :] < m, other=0)
    s = tl.load(step + j, mask=j < m, other=0.0)
    acc = tl.dot(a, w.to(tl.float32), input_precision="ieee") * s[None, :]
    tl.store(y + i[:, None] * m + j[None, :], acc, mask=(i[:, None] < n) & (j[None, :] < m))


class ModelNew(nn.Module):
    def __init__(self, inner, outer):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outer, inner) / math.sqrt(inner))
        self.packed = None

    def pack(self):
        with torch.no_grad():
            step = self.weight.abs().amax(1).clamp(min=1e-8) / 127.0
            return torch.round(self.weight / step[:, None]).to(torch.int8), step

    def forward(self, x):
        if self.packed is None:
            self.packed = self.pack()
        code, step = self.packed
        n, m = x.shape[0], code.shape[0]
        y = torch.empty((n, m), device=x.device, dtype=x.dtype)
        quantized_linear[(triton.cdiv(n, 16), triton.cdiv(m, 16))](x, code, step, y, n, m, K=x.shape[1], BN=16, BM=16)
        return y
