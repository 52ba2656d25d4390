import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def descend(p_ptr, g_ptr, step_ptr, out_ptr, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    share = tl.load(step_ptr).to(tl.float32) / 3000.0
    rate = 0.01 + 0.5 * (1.0 + tl.cos(3.141592653589793 * share)) * 0.09
    p = tl.load(p_ptr + at, mask=inside, other=0.0)
    g = tl.load(g_ptr + at, mask=inside, other=0.0)
    sign = (g > 0.0).to(tl.float32) - (g < 0.0).to(tl.float32)
    tl.store(out_ptr + at, p - rate * sign, mask=inside)


@triton.jit
def advance(step_ptr):
    tl.store(step_ptr, tl.load(step_ptr) + 1)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("step", torch.zeros((), dtype=torch.int64))

    def forward(self, p, g):
        p, g = p.contiguous(), g.contiguous()
        out = torch.empty_like(p)
        descend[(triton.cdiv(p.numel(), 256),)](p, g, self.step, out, p.numel(), BLOCK=256)
        advance[(1,)](self.step)
        return out
