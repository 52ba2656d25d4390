import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def wrap(a_ptr, b_ptr, y_ptr, u_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    a = tl.load(a_ptr + i, mask=ok, other=0)
    b = tl.load(b_ptr + i, mask=ok, other=0)
    wide = a.to(tl.int32) * b.to(tl.int32) + 7
    tl.store(y_ptr + i, wide.to(tl.int16), mask=ok)
    u = (a.to(tl.int32) & 0xFF) + 200
    tl.store(u_ptr + i, (u & 0xFF).to(tl.uint8), mask=ok)


class ModelNew(nn.Module):
    def forward(self, a, b):
        y = torch.empty_like(a)
        u = torch.empty(a.shape, dtype=torch.uint8, device=a.device)
        wrap[(triton.cdiv(a.numel(), 64),)](a, b, y, u, a.numel(), BLOCK=64)
        return y, u
