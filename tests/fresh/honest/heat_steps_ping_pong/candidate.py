import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def step(u_ptr, v_ptr, H, W, BLOCK: tl.constexpr):
    y = tl.program_id(0)
    x = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    ok = x < W
    inner = ok & (y > 0) & (y < H - 1) & (x > 0) & (x < W - 1)
    p = u_ptr + y * W + x
    c = tl.load(p, mask=ok, other=0.0)
    up = tl.load(p - W, mask=inner, other=0.0)
    down = tl.load(p + W, mask=inner, other=0.0)
    left = tl.load(p - 1, mask=inner, other=0.0)
    right = tl.load(p + 1, mask=inner, other=0.0)
    new = c + 0.1 * (up + down + left + right - 4 * c)
    tl.store(v_ptr + y * W + x, tl.where(inner, new, c), mask=ok)


class ModelNew(nn.Module):
    def __init__(self, steps):
        super().__init__()
        self.steps = steps

    def forward(self, u):
        H, W = u.shape
        src = u.contiguous()
        bufs = [torch.empty_like(src), torch.empty_like(src)]
        for i in range(self.steps):
            dst = bufs[i % 2]
            step[(H, triton.cdiv(W, 32))](src, dst, H, W, BLOCK=32)
            src = dst
        return src
