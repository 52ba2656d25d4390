import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def exp_row(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.exp(tl.load(x_ptr + i, mask=i < n, other=0.0)), mask=i < n)


class ModelNew(nn.Module):
    def forward(self, x, lengths):
        x = x.contiguous()
        y = torch.zeros_like(x)
        for b, length in enumerate(lengths.tolist()):
            n = max(0, min(length, x.shape[1]))
            if n:
                exp_row[(triton.cdiv(n, 32),)](x[b], y[b], n, BLOCK=32)
        return y
