import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def write_kernel(n_ptr, c_ptr, o_ptr, T, S, D, BLOCK: tl.constexpr):
    t = tl.program_id(0)
    b = tl.program_id(1)
    i = tl.arange(0, BLOCK)
    mask = i < D
    fresh = (t >= 4) & (t < 4 + S)
    old = tl.load(c_ptr + (b * T + t) * D + i, mask=mask, other=0.0)
    new = tl.load(n_ptr + (b * S + t - 4) * D + i, mask=mask & fresh, other=0.0)
    tl.store(o_ptr + (b * T + t) * D + i, tl.where(fresh, new, old), mask=mask)


class ModelNew(nn.Module):
    def forward(self, cache, new):
        cache, new = cache.contiguous(), new.contiguous()
        B, T, D = cache.shape
        S = new.shape[1]
        out = torch.empty_like(cache)
        write_kernel[(T, B)](new, cache, out, T, S, D, BLOCK=triton.next_power_of_2(D))
        return out
