import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def fake_fp8(x_ptr, scale_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    s = tl.load(scale_ptr)
    x = tl.load(x_ptr + i, mask=ok, other=0.0)
    v = tl.clamp(tl.div_rn(x, s + tl.zeros_like(x)), -448.0, 448.0)
    q = v.to(tl.float8e4nv)
    tl.store(y_ptr + i, q.to(tl.float32) * s, mask=ok)


class ModelNew(nn.Module):
    def forward(self, x, scale):
        y = torch.empty_like(x)
        fake_fp8[(triton.cdiv(x.numel(), 128),)](x, scale, y, x.numel(), BLOCK=128)
        return y
