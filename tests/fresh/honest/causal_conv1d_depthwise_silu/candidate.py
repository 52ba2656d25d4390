import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def causal_conv(x_ptr, w_ptr, b_ptr, y_ptr, dim, seqlen, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    bd = tl.program_id(0)
    c = bd % dim
    t = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], tl.float32) + tl.load(b_ptr + c)
    for j in tl.static_range(WIDTH):
        src = t + j - (WIDTH - 1)
        x = tl.load(x_ptr + bd * seqlen + src, mask=(src >= 0) & (src < seqlen), other=0.0)
        acc += x * tl.load(w_ptr + c * WIDTH + j)
    y = acc * tl.sigmoid(acc)
    tl.store(y_ptr + bd * seqlen + t, y, mask=t < seqlen)


class ModelNew(nn.Module):
    def __init__(self, dim, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(dim, width) * 0.5)
        self.bias = nn.Parameter(torch.randn(dim) * 0.1)

    def forward(self, x):
        x = x.contiguous()
        b, d, l = x.shape
        y = torch.empty_like(x)
        causal_conv[b * d, triton.cdiv(l, 32)](x, self.weight, self.bias, y, d, l, WIDTH=self.weight.shape[1], BLOCK=32)
        return y
