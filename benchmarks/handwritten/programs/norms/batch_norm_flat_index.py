# reference: batch_norm_eval
# way: index-math
# faster: every element divides twice to find its channel and loads four numbers of it
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def bn_relu_kernel(x, mean, var, weight, bias, y, total, channels, pixels, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < total
    c = (i // pixels) % channels
    v = tl.load(x + i, mask=ok, other=0.0)
    mu = tl.load(mean + c, mask=ok, other=0.0)
    s2 = tl.load(var + c, mask=ok, other=1.0)
    g = tl.load(weight + c, mask=ok, other=0.0)
    b = tl.load(bias + c, mask=ok, other=0.0)
    r = (v - mu) * tl.rsqrt(s2 + 1e-5) * g + b
    tl.store(y + i, tl.maximum(r, 0.0), mask=ok)


class ModelNew(nn.Module):
    def forward(self, x, mean, var, weight, bias):
        n, c, h, w = x.shape
        y = torch.empty_like(x)
        bn_relu_kernel[(triton.cdiv(x.numel(), 512),)](
            x, mean, var, weight, bias, y, x.numel(), c, h * w, BLOCK=512
        )
        return y
