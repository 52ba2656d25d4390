# reference: attention
# way: epilogue
# faster: the scores are scaled by a kernel of their own before softmax
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scores_kernel(q_ptr, k_ptr, s_ptr, L, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    head = tl.program_id(2)
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rd = tl.arange(0, D)
    q = tl.load(q_ptr + head * L * D + rm[:, None] * D + rd[None, :], mask=rm[:, None] < L, other=0.0)
    k = tl.load(k_ptr + head * L * D + rn[None, :] * D + rd[:, None], mask=rn[None, :] < L, other=0.0)
    s = tl.dot(q, k, input_precision="ieee")
    tl.store(s_ptr + head * L * L + rm[:, None] * L + rn[None, :], s, mask=(rm[:, None] < L) & (rn[None, :] < L))


@triton.jit
def scale_kernel(s_ptr, out_ptr, n, scale, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(s_ptr + i, mask=i < n) * scale, mask=i < n)


@triton.jit
def softmax_kernel(s_ptr, p_ptr, L, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    s = tl.load(s_ptr + row * L + c, mask=c < L, other=float("-inf"))
    e = tl.exp(s - tl.max(s, axis=0))
    tl.store(p_ptr + row * L + c, e / tl.sum(e, axis=0), mask=c < L)


@triton.jit
def values_kernel(p_ptr, v_ptr, o_ptr, L, D: tl.constexpr, BM: tl.constexpr, BK: tl.constexpr):
    head = tl.program_id(1)
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rd = tl.arange(0, D)
    acc = tl.zeros((BM, D), dtype=tl.float32)
    for start in range(0, L, BK):
        rk = start + tl.arange(0, BK)
        p = tl.load(p_ptr + head * L * L + rm[:, None] * L + rk[None, :], mask=(rm[:, None] < L) & (rk[None, :] < L), other=0.0)
        v = tl.load(v_ptr + head * L * D + rk[:, None] * D + rd[None, :], mask=rk[:, None] < L, other=0.0)
        acc += tl.dot(p, v, input_precision="ieee")
    tl.store(o_ptr + head * L * D + rm[:, None] * D + rd[None, :], acc, mask=rm[:, None] < L)


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        H, L, D = q.shape
        scores = torch.empty((H, L, L), device=q.device, dtype=torch.float32)
        scores_kernel[(triton.cdiv(L, 32), triton.cdiv(L, 32), H)](q, k, scores, L, D=D, BM=32, BN=32)
        scaled = torch.empty_like(scores)
        scale_kernel[(triton.cdiv(scores.numel(), 1024),)](scores, scaled, scores.numel(), D**-0.5, BLOCK=1024)
        p = torch.empty_like(scores)
        softmax_kernel[(H * L,)](scaled, p, L, BLOCK=triton.next_power_of_2(L))
        out = torch.empty_like(q)
        values_kernel[(triton.cdiv(L, 32), H)](p, v, out, L, D=D, BM=32, BK=32)
        return out
