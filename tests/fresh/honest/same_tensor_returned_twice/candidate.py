import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def sigmoid_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.sigmoid(tl.load(x_ptr + i, mask=i < n, other=0.0)), mask=i < n)


class ModelNew(nn.Module):
    def forward(self, x):
        h = torch.empty_like(x)
        sigmoid_kernel[(triton.cdiv(x.numel(), 32),)](x, h, x.numel(), BLOCK=32)
        return h, h
