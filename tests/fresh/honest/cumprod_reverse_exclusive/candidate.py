import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scans(x_ptr, p_ptr, s_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    ok = c < n
    x = tl.load(x_ptr + row * n + c, mask=ok, other=0.0)
    tl.store(s_ptr + row * n + c, tl.cumsum(x, 0, reverse=True), mask=ok)
    tl.store(p_ptr + row * n + c, tl.cumprod(tl.where(ok, x, 1.0), 0), mask=ok)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        n = x.shape[-1]
        p, s = torch.empty_like(x), torch.empty_like(x)
        scans[(x.numel() // n,)](x, p, s, n, BLOCK=triton.next_power_of_2(n))
        return p, s
