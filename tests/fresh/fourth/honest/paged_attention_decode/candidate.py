import torch
import triton
import triton.language as tl


@triton.jit
def paged(q_ptr, k_ptr, v_ptr, table_ptr, len_ptr, o_ptr, pages, total_pages, scale, P: tl.constexpr, D: tl.constexpr):
    b = tl.program_id(0)
    d = tl.arange(0, D)
    slot = tl.arange(0, P)
    q = tl.load(q_ptr + b * D + d) * scale
    n = tl.load(len_ptr + b)
    n = tl.minimum(tl.maximum(n, 1), pages * P)
    m = -float("inf")
    l = 0.0
    acc = tl.zeros([D], tl.float32)
    for j in range(0, tl.cdiv(n, P)):
        page = tl.load(table_ptr + b * pages + j)
        page = tl.where(page < 0, page + total_pages, page)
        at = (page * P + slot[:, None]) * D + d[None, :]
        valid = j * P + slot < n
        k = tl.load(k_ptr + at, mask=valid[:, None], other=0.0)
        v = tl.load(v_ptr + at, mask=valid[:, None], other=0.0)
        s = tl.where(valid, tl.sum(k * q[None, :], 1), -float("inf"))
        new = tl.maximum(m, tl.max(s, 0))
        p = tl.exp(s - new)
        fix = tl.exp(m - new)
        l = l * fix + tl.sum(p, 0)
        acc = acc * fix + tl.sum(p[:, None] * v, 0)
        m = new
    tl.store(o_ptr + b * D + d, acc / l)


def forward(q, k_pages, v_pages, table, lengths):
    B, D = q.shape
    out = torch.empty_like(q)
    paged[(B,)](q, k_pages, v_pages, table, lengths, out, table.shape[1], k_pages.shape[0], D ** -0.5, P=k_pages.shape[1], D=D)
    return out
