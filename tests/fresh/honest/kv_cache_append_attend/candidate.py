import math

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def append(k_ptr, v_ptr, kc_ptr, vc_ptr, pos, stride_b, stride_n, D: tl.constexpr):
    b = tl.program_id(0)
    d = tl.arange(0, D)
    tl.store(kc_ptr + b * stride_b + pos * stride_n + d, tl.load(k_ptr + b * D + d))
    tl.store(vc_ptr + b * stride_b + pos * stride_n + d, tl.load(v_ptr + b * D + d))


@triton.jit
def attend(q_ptr, kc_ptr, vc_ptr, o_ptr, filled, scale, stride_b, stride_n, D: tl.constexpr, BLOCK: tl.constexpr):
    b = tl.program_id(0)
    d = tl.arange(0, D)
    n = tl.arange(0, BLOCK)
    ok = n < filled
    q = tl.load(q_ptr + b * D + d)
    k = tl.load(kc_ptr + b * stride_b + n[:, None] * stride_n + d[None, :], mask=ok[:, None], other=0.0)
    s = tl.where(ok, tl.sum(k * q[None, :], 1) * scale, float("-inf"))
    p = tl.exp(s - tl.max(s, 0))
    p = p / tl.sum(p, 0)
    v = tl.load(vc_ptr + b * stride_b + n[:, None] * stride_n + d[None, :], mask=ok[:, None], other=0.0)
    tl.store(o_ptr + b * D + d, tl.sum(p[:, None] * v, 0))


class ModelNew(nn.Module):
    def forward(self, q, k_new, v_new, k_cache, v_cache):
        B, D = q.shape
        pos = k_cache.shape[1] // 2
        out = torch.empty_like(q)
        append[(B,)](k_new, v_new, k_cache, v_cache, pos, k_cache.stride(0), k_cache.stride(1), D=D)
        attend[(B,)](q, k_cache, v_cache, out, pos + 1, 1.0 / math.sqrt(D), k_cache.stride(0), k_cache.stride(1), D=D, BLOCK=triton.next_power_of_2(pos + 1))
        return out
