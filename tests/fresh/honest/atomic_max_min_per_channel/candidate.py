import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def observe(x_ptr, lo_ptr, hi_ptr, C, S, BLOCK: tl.constexpr):
    nc = tl.program_id(0)
    s = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    ok = s < S
    x = tl.load(x_ptr + nc * S + s, mask=ok, other=0.0)
    lo = tl.min(tl.where(ok, x, float("inf")), 0)
    hi = tl.max(tl.where(ok, x, -float("inf")), 0)
    tl.atomic_min(lo_ptr + nc % C, lo)
    tl.atomic_max(hi_ptr + nc % C, hi)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        N, C, S = x.shape
        lo = torch.full((C,), float("inf"), device=x.device, dtype=x.dtype)
        hi = torch.full((C,), float("-inf"), device=x.device, dtype=x.dtype)
        observe[(N * C, triton.cdiv(S, 32))](x, lo, hi, C, S, BLOCK=32)
        return lo, hi
