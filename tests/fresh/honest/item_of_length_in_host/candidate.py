import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def triple(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n, other=0.0) * 3, mask=i < n)


class ModelNew(nn.Module):
    def forward(self, x, length):
        x = x.contiguous()
        y = torch.zeros_like(x)
        rows = min(max(int(length.item()), 0), x.shape[0])
        n = rows * x.shape[1]
        if n > 0:
            triple[(triton.cdiv(n, 64),)](x, y, n, BLOCK=64)
        return y
