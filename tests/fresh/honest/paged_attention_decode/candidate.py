import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def paged_attention(q_ptr, k_ptr, v_ptr, table_ptr, len_ptr, o_ptr, scale, max_pages, num_blocks,
                    H: tl.constexpr, D: tl.constexpr, PAGE: tl.constexpr):
    b = tl.program_id(0)
    h = tl.program_id(1)
    length = tl.load(len_ptr + b)
    d = tl.arange(0, D)
    slot = tl.arange(0, PAGE)
    q = tl.load(q_ptr + (b * H + h) * D + d)
    m = float("-inf")
    l = 0.0
    acc = tl.zeros([D], tl.float32)
    for page in range(0, max_pages):
        block = tl.load(table_ptr + b * max_pages + page).to(tl.int64)
        block = tl.where(block < 0, block + num_blocks, block)
        offs = ((block * PAGE + slot[:, None]) * H + h) * D + d[None, :]
        ok = page * PAGE + slot < length
        k = tl.load(k_ptr + offs)
        v = tl.load(v_ptr + offs)
        s = tl.sum(q[None, :] * k, axis=1) * scale
        s = tl.where(ok, s, float("-inf"))
        m_new = tl.maximum(m, tl.max(s, axis=0))
        safe = tl.where(m_new == float("-inf"), 0.0, m_new)
        p = tl.exp(s - safe)
        alpha = tl.exp(m - safe)
        acc = acc * alpha + tl.sum(p[:, None] * v, axis=0)
        l = l * alpha + tl.sum(p, axis=0)
        m = m_new
    tl.store(o_ptr + (b * H + h) * D + d, acc / l)


class ModelNew(nn.Module):
    def forward(self, q, k_cache, v_cache, table, lengths):
        B, H, D = q.shape
        num_blocks, page = k_cache.shape[0], k_cache.shape[1]
        out = torch.empty_like(q)
        paged_attention[(B, H)](q, k_cache, v_cache, table, lengths, out, D**-0.5, table.shape[1], num_blocks, H=H, D=D, PAGE=page)
        return out
