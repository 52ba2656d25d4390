import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def spread(x, src, dst, w, out, N, C, B: tl.constexpr):
    e = tl.program_id(0)
    c = tl.arange(0, B)
    s = tl.load(src + e)
    s = tl.where(s < 0, s + N, s)  # an index counts from the end if it is negative
    d = tl.load(dst + e)
    v = tl.load(x + s * C + c, mask=c < C, other=0.0) * tl.load(w + e)
    tl.atomic_add(out + d * C + c, v, mask=c < C)


class ModelNew(nn.Module):
    def forward(self, x, src, dst, w):
        out = torch.zeros_like(x)
        N, C = x.shape
        spread[(src.shape[0],)](x, src, dst, w, out, N, C, B=triton.next_power_of_2(C))
        return out
