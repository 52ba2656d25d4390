import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def rope(
    q_ptr, k_ptr, oq_ptr, ok_ptr, cos_ptr, sin_ptr, pos_ptr, limit,
    q_tok, q_head, k_tok, k_head, HQ: tl.constexpr, HK: tl.constexpr, HALF: tl.constexpr,
):
    token = tl.program_id(0)
    head = tl.program_id(1)
    pos = tl.load(pos_ptr + token)
    pos = tl.where(pos < 0, pos + limit, pos)
    d = tl.arange(0, HALF)
    c = tl.load(cos_ptr + pos * HALF + d)
    s = tl.load(sin_ptr + pos * HALF + d)
    if head < HQ:
        src = q_ptr + token * q_tok + head * q_head
        dst = oq_ptr + (token * HQ + head) * 2 * HALF
    else:
        src = k_ptr + token * k_tok + (head - HQ) * k_head
        dst = ok_ptr + (token * HK + head - HQ) * 2 * HALF
    a = tl.load(src + d)
    b = tl.load(src + HALF + d)
    tl.store(dst + d, a * c - b * s)
    tl.store(dst + HALF + d, b * c + a * s)


class ModelNew(nn.Module):
    def __init__(self, dim, limit):
        super().__init__()
        inv = 10000.0 ** (-torch.arange(0, dim, 2).float() / dim)
        angle = torch.arange(limit).float()[:, None] * inv
        self.register_buffer("cos", angle.cos())
        self.register_buffer("sin", angle.sin())

    def forward(self, q, k, positions):
        tokens, hq, dim = q.shape
        hk = k.shape[1]
        out_q = torch.empty((tokens, hq, dim), device=q.device, dtype=q.dtype)
        out_k = torch.empty((tokens, hk, dim), device=k.device, dtype=k.dtype)
        rope[(tokens, hq + hk)](
            q, k, out_q, out_k, self.cos, self.sin, positions, self.cos.shape[0],
            q.stride(0), q.stride(1), k.stride(0), k.stride(1), HQ=hq, HK=hk, HALF=dim // 2,
        )
        return out_q, out_k
