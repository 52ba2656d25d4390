import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def smooth(a_ptr, b_ptr, out_ptr, n, beta, half, inverse, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    d = tl.abs(tl.load(a_ptr + i, mask=ok, other=0.0) - tl.load(b_ptr + i, mask=ok, other=0.0))
    tl.store(out_ptr + i, tl.where(d < beta, 0.5 * d * d * inverse, d - half), mask=ok)


class ModelNew(nn.Module):
    def __init__(self, beta=1.0):
        super().__init__()
        self.beta = beta
        self.edge = beta
        self.half = 0.5 * beta
        self.inverse = 1.0 / beta

    def forward(self, a, b):
        out = torch.empty_like(a)
        n = a.numel()
        smooth[(triton.cdiv(n, 256),)](a, b, out, n, self.edge, self.half, self.inverse, 256)
        return out
