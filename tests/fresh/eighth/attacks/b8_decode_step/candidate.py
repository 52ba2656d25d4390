import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def decode(q, k, v, lengths, out, heads, time, scale, D: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    n = tl.load(lengths + pid // heads).to(tl.int32)
    d = tl.arange(0, D)
    query = tl.load(q + pid * D + d) * scale
    top = tl.full((), -1.0e30, tl.float32)
    den = tl.full((), 0.0, tl.float32)
    acc = tl.zeros((D,), tl.float32)
    for start in range(0, n, BLOCK):
        t = start + tl.arange(0, BLOCK)
        live = t < n
        at = pid * time * D + t[:, None] * D + d[None, :]
        kk = tl.load(k + at, mask=live[:, None], other=0.0)
        s = tl.where(live, tl.sum(kk * query[None, :], axis=1), -1.0e30)
        peak = tl.maximum(top, tl.max(s, axis=0))
        p = tl.where(live, tl.exp(s - peak), 0.0)
        shrink = tl.exp(top - peak)
        vv = tl.load(v + at, mask=live[:, None], other=0.0)
        acc = acc * shrink + tl.sum(p[:, None] * vv, axis=0)
        den = den * shrink + tl.sum(p, axis=0)
        top = peak
    tl.store(out + pid * D + d, acc / tl.maximum(den, 1e-20))


class ModelNew(nn.Module):
    def __init__(self, fill):
        super().__init__()

    def forward(self, query, keys, values, lengths):
        batch, heads, dim = query.shape
        out = torch.empty_like(query)
        decode[(batch * heads,)](query, keys, values, lengths, out, heads, keys.shape[2], dim ** -0.5, D=dim, BLOCK=32)
        return out
