import torch
import triton
import triton.language as tl


@triton.jit
def masked_rows(x_ptr, m_ptr, o_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    ok = c < width
    keep = tl.load(m_ptr + row * width + c, mask=ok, other=0).to(tl.int1)
    x = tl.load(x_ptr + row * width + c, mask=ok, other=0.0)
    x = tl.where(keep & ok, x, -float("inf"))
    some = tl.max((keep & ok).to(tl.int32), 0) > 0
    top = tl.where(some, tl.max(x, 0), 0.0)
    e = tl.exp(x - top)
    total = tl.where(some, tl.sum(e, 0), 1.0)
    tl.store(o_ptr + row * width + c, e / total, mask=ok)


def forward(x, mask):
    out = torch.empty_like(x)
    masked_rows[(x.shape[0],)](x, mask, out, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return out
