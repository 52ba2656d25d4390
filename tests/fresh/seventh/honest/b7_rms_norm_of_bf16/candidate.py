import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def rms(x, w, y, C, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    h = tl.load(x + r * C + c, mask=c < C, other=0.0).to(tl.float32)
    g = tl.load(w + c, mask=c < C, other=0.0).to(tl.float32)
    h = h * tl.rsqrt(tl.sum(h * h) / C + 1e-5) * g
    tl.store(y + r * C + c, h.to(tl.bfloat16), mask=c < C)


class ModelNew(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(c, dtype=torch.bfloat16))

    def forward(self, x):
        y = torch.empty_like(x)
        C = x.shape[-1]
        rms[(x.numel() // C,)](x, self.weight, y, C, BLOCK=triton.next_power_of_2(C))
        return y
