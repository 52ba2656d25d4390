import torch
import triton
import triton.language as tl


@triton.jit
def clock(ms_ptr, h_ptr, m_ptr, s_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    ms = tl.load(ms_ptr + at, mask=inside, other=0).to(tl.int32)
    second = ms // 1000
    second = tl.where(second * 1000 > ms, second - 1, second)
    day = second % 86400
    day = tl.where(day < 0, day + 86400, day)
    tl.store(h_ptr + at, day // 3600, mask=inside)
    tl.store(m_ptr + at, day % 3600 // 60, mask=inside)
    tl.store(s_ptr + at, day % 60, mask=inside)


def forward(ms):
    h = torch.empty_like(ms)
    m = torch.empty_like(ms)
    s = torch.empty_like(ms)
    clock[(triton.cdiv(ms.numel(), 256),)](ms, h, m, s, ms.numel(), 256)
    return h, m, s
