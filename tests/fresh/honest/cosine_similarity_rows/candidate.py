import torch
import torch.nn as nn
import triton
import triton.language as tl


EPS = 1e-8


@triton.jit
def cosine(a_ptr, b_ptr, o_ptr, rows, cols, eps, R: tl.constexpr, C: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    ab = tl.zeros([R, C], tl.float32)
    aa = tl.zeros([R, C], tl.float32)
    bb = tl.zeros([R, C], tl.float32)
    for c0 in range(0, cols, C):
        c = c0 + tl.arange(0, C)
        ok = (r[:, None] < rows) & (c[None, :] < cols)
        a = tl.load(a_ptr + r[:, None] * cols + c[None, :], mask=ok, other=0.0)
        b = tl.load(b_ptr + r[:, None] * cols + c[None, :], mask=ok, other=0.0)
        ab += a * b
        aa += a * a
        bb += b * b
    na = tl.maximum(tl.sqrt(tl.sum(aa, 1)), eps)
    nb = tl.maximum(tl.sqrt(tl.sum(bb, 1)), eps)
    tl.store(o_ptr + r, tl.sum(ab, 1) / (na * nb), mask=r < rows)


class ModelNew(nn.Module):
    def forward(self, a, b):
        a, b = a.contiguous(), b.contiguous()
        cols = a.size(-1)
        rows = a.numel() // cols
        out = torch.empty(a.shape[:-1], device=a.device, dtype=a.dtype)
        cosine[(triton.cdiv(rows, 16),)](a, b, out, rows, cols, EPS, R=16, C=32)
        return out
