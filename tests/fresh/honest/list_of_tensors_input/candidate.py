import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def axpb(x_ptr, y_ptr, n, i, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + o, mask=o < n, other=0.0)
    tl.store(y_ptr + o, x * 2 + i, mask=o < n)


class ModelNew(nn.Module):
    def forward(self, xs):
        outs = []
        for i, x in enumerate(xs):
            x = x.contiguous()
            y = torch.empty_like(x)
            axpb[(triton.cdiv(x.numel(), 32),)](x, y, x.numel(), i, BLOCK=32)
            outs.append(y)
        return outs
