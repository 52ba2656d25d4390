import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def chunked(q_ptr, k_ptr, v_ptr, o_ptr, N, D: tl.constexpr, E: tl.constexpr, C: tl.constexpr):
    head = tl.program_id(0)
    d = tl.arange(0, D)
    e = tl.arange(0, E)
    c = tl.arange(0, C)
    state = tl.zeros([D, E], tl.float32)
    causal = c[:, None] >= c[None, :]
    for n0 in range(0, N, C):
        n = n0 + c
        ok = (n < N)[:, None]
        q = tl.load(q_ptr + head * N * D + n[:, None] * D + d[None, :], mask=ok, other=0.0)
        k = tl.load(k_ptr + head * N * D + n[:, None] * D + d[None, :], mask=ok, other=0.0)
        v = tl.load(v_ptr + head * N * E + n[:, None] * E + e[None, :], mask=ok, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee")
        s = tl.where(causal, s, 0.0)
        o = tl.dot(s, v, input_precision="ieee") + tl.dot(q, state, input_precision="ieee")
        state += tl.dot(tl.trans(k), v, input_precision="ieee")
        tl.store(o_ptr + head * N * E + n[:, None] * E + e[None, :], o, mask=ok)


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        B, H, N, D = q.shape
        E = v.shape[-1]
        o = torch.empty_like(v)
        chunked[(B * H,)](q.contiguous(), k.contiguous(), v.contiguous(), o, N, D=D, E=E, C=16, num_warps=2)
        return o
