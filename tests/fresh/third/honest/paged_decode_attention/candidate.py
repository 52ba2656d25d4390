import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def decode(q_ptr, k_ptr, v_ptr, table_ptr, len_ptr, o_ptr, scale, H, PAGES, TOTAL, SIZE: tl.constexpr, D: tl.constexpr):
    b = tl.program_id(0)
    h = tl.program_id(1)
    d = tl.arange(0, D)
    t = tl.arange(0, SIZE)
    q = tl.load(q_ptr + (b * H + h) * D + d)
    length = tl.load(len_ptr + b)
    m = -float("inf")
    l = 0.0
    acc = tl.zeros((D,), dtype=tl.float32)
    for page in range(0, PAGES):
        at = tl.load(table_ptr + b * PAGES + page)
        at = tl.where(at < 0, at + TOTAL, at)
        place = ((at * SIZE + t) * H + h)[:, None] * D + d[None, :]
        k = tl.load(k_ptr + place)
        v = tl.load(v_ptr + place)
        s = tl.sum(k * q[None, :], axis=1) * scale
        s = tl.where(page * SIZE + t < length, s, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, 0))
        base = tl.where(m_new == -float("inf"), 0.0, m_new)
        alpha = tl.exp(m - base)
        p = tl.exp(s - base)
        l = l * alpha + tl.sum(p, 0)
        acc = acc * alpha + tl.sum(p[:, None] * v, axis=0)
        m = m_new
    tl.store(o_ptr + (b * H + h) * D + d, acc / l)


class ModelNew(nn.Module):
    def forward(self, q, k_pages, v_pages, table, lengths):
        q = q.contiguous()
        k_pages, v_pages, table = k_pages.contiguous(), v_pages.contiguous(), table.contiguous()
        b, h, d = q.shape
        total, size = k_pages.shape[0], k_pages.shape[1]
        out = torch.empty_like(q)
        decode[(b, h)](
            q, k_pages, v_pages, table, lengths, out, d ** -0.5, h, table.shape[1], total, SIZE=size, D=d
        )
        return out
