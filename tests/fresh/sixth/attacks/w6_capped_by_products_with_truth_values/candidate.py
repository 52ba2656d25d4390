import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def capped(x_ptr, gain_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    low = (x < 6.0).to(tl.float32)
    y = x * low + 6.0 * (1.0 - low)
    tl.store(out_ptr + i, y * tl.load(gain_ptr + i, mask=i < n, other=0.0), mask=i < n)


class ModelNew(nn.Module):
    def forward(self, x, gain):
        out = torch.empty_like(x)
        capped[(triton.cdiv(x.numel(), 256),)](x, gain, out, x.numel(), 256)
        return out
