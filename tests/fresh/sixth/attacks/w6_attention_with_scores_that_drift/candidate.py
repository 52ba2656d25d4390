import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def decode(q_ptr, k_ptr, v_ptr, out_ptr, keys, D: tl.constexpr, E: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    d = tl.arange(0, D)
    e = tl.arange(0, E)
    j = tl.arange(0, BLOCK)
    q = tl.load(q_ptr + row * D + d)
    base = tl.sum(q * 0.0, axis=0) - 1e30
    last = base
    total = tl.sum(q * 0.0, axis=0)
    acc = tl.zeros([E], tl.float32)
    for start in range(0, keys, BLOCK):
        k = tl.load(k_ptr + (start + j[:, None]) * D + d[None, :])
        v = tl.load(v_ptr + (start + j[:, None]) * E + e[None, :])
        s = tl.sum(k * q[None, :], axis=1)
        here = tl.max(s, axis=0)
        new = tl.where(here - last > 6.0, tl.maximum(base, here), base)
        p = tl.exp(s - new)
        by = tl.exp(base - new)
        total = total * by + tl.sum(p, axis=0)
        acc = acc * by + tl.sum(p[:, None] * v, axis=0)
        base = new
        last = here
    tl.store(out_ptr + row * E + e, acc / total)


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        out = torch.empty((q.shape[0], v.shape[1]), dtype=q.dtype, device=q.device)
        decode[(q.shape[0],)](q, k, v, out, k.shape[0], q.shape[1], v.shape[1], 8)
        return out
