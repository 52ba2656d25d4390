import functools

import torch
import torch.nn as nn
import triton
import triton.language as tl


def contiguous(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(*(a.contiguous() if isinstance(a, torch.Tensor) else a for a in args), **{k: (v.contiguous() if isinstance(v, torch.Tensor) else v) for k, v in kwargs.items()})

    return wrapper


@triton.jit
def local_cumsum(q_ptr, g_ptr, o_ptr, T, H, BLOCK: tl.constexpr):
    b = tl.program_id(0)
    h = tl.program_id(1)
    t = tl.arange(0, BLOCK)
    offs = b * T * H + t * H + h
    ok = t < T
    g = tl.load(g_ptr + offs, mask=ok, other=0.0)
    ls = tl.minimum(g, 0.0) - tl.log(1.0 + tl.exp(-tl.abs(g)))
    s = tl.cumsum(tl.where(ok, ls, 0.0), 0)
    tl.store(o_ptr + offs, s + tl.load(q_ptr + offs, mask=ok, other=0.0), mask=ok)


@contiguous
def gate_cumsum(q, g):
    B, T, H = g.shape
    o = torch.empty_like(g)
    local_cumsum[(B, H)](q, g, o, T, H, BLOCK=triton.next_power_of_2(T))
    return o


class ModelNew(nn.Module):
    def forward(self, q, g):
        return gate_cumsum(q, g)
