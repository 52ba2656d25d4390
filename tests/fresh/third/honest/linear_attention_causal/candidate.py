import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def feature(x):
    return tl.where(x > 0, x + 1.0, tl.exp(tl.minimum(x, 0.0)))


@triton.jit
def linear_attention(q_ptr, k_ptr, v_ptr, o_ptr, T, D: tl.constexpr):
    t = tl.program_id(0)
    base = tl.program_id(1) * T * D
    d = tl.arange(0, D)
    q = feature(tl.load(q_ptr + base + t * D + d))
    acc = tl.zeros((D,), dtype=tl.float32)
    total = 0.0
    for s in range(0, t + 1):
        k = feature(tl.load(k_ptr + base + s * D + d))
        score = tl.sum(q * k, 0)
        acc += score * tl.load(v_ptr + base + s * D + d)
        total += score
    tl.store(o_ptr + base + t * D + d, acc / (total + 1e-6))


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        b, h, t, d = q.shape
        out = torch.empty_like(v)
        linear_attention[(t, b * h)](q, k, v, out, t, D=d)
        return out
