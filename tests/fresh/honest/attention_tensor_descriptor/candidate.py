import torch
import torch.nn as nn
import triton
import triton.language as tl


def alloc_fn(size: int, alignment: int, stream):
    return torch.empty(size, device="cuda", dtype=torch.int8)


@triton.jit
def attn(q_ptr, k_ptr, v_ptr, o_ptr, N, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    m0 = tl.program_id(0) * BM
    bh = tl.program_id(1)
    base = bh * N * D
    q_desc = tl.make_tensor_descriptor(q_ptr + base, shape=[N, D], strides=[D, 1], block_shape=[BM, D])
    k_desc = tl.make_tensor_descriptor(k_ptr + base, shape=[N, D], strides=[D, 1], block_shape=[BN, D])
    v_desc = tl.make_tensor_descriptor(v_ptr + base, shape=[N, D], strides=[D, 1], block_shape=[BN, D])
    o_desc = tl.make_tensor_descriptor(o_ptr + base, shape=[N, D], strides=[D, 1], block_shape=[BM, D])
    q = q_desc.load([m0, 0])
    m_i = tl.full([BM], float("-inf"), tl.float32)
    l_i = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for n0 in tl.range(0, N, BN):
        k = k_desc.load([n0, 0])
        s = tl.dot(q, k.T) * scale
        cols = n0 + tl.arange(0, BN)
        s = tl.where(cols[None, :] < N, s, float("-inf"))
        m_new = tl.maximum(m_i, tl.max(s, 1))
        p = tl.exp(s - m_new[:, None])
        alpha = tl.exp(m_i - m_new)
        l_i = l_i * alpha + tl.sum(p, 1)
        v = v_desc.load([n0, 0])
        acc = acc * alpha[:, None] + tl.dot(p.to(v.dtype), v)
        m_i = m_new
    o_desc.store([m0, 0], (acc / l_i[:, None]).to(tl.float16))


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        B, H, N, D = q.shape
        o = torch.empty_like(q)
        attn[(triton.cdiv(N, 32), B * H)](q, k, v, o, N, D**-0.5, D=D, BM=32, BN=16)
        return o
