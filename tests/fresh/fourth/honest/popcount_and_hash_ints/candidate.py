import torch
import triton
import triton.language as tl


@triton.jit
def bits(x_ptr, c_ptr, h_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    u = tl.load(x_ptr + i, mask=ok, other=0).to(tl.int64) & 0xFFFFFFFF
    count = tl.zeros([BLOCK], tl.int64)
    for k in tl.static_range(32):
        count += (u >> k) & 1
    h = ((u ^ (u >> 16)) * 0x45D9F3B) & 0xFFFFFFFF
    tl.store(c_ptr + i, count.to(tl.int32), mask=ok)
    tl.store(h_ptr + i, h, mask=ok)


def forward(x):
    c = torch.empty_like(x)
    h = torch.empty(x.shape, device=x.device, dtype=torch.int64)
    bits[(triton.cdiv(x.numel(), 64),)](x, c, h, x.numel(), BLOCK=64)
    return c, h
