import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softplus_kernel(x_ptr, y_ptr, n, beta, threshold, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    if x_ptr.dtype.element_ty != tl.float32:
        x = x.to(tl.float32)
    z = x * beta
    soft = (tl.maximum(z, 0.0) + tl.log(1.0 + tl.exp(-tl.abs(z)))) / beta
    y = tl.where(z > threshold, x, soft)
    tl.store(y_ptr + i, y.to(y_ptr.dtype.element_ty), mask=i < n)


class ModelNew(nn.Module):
    def __init__(self, beta):
        super().__init__()
        self.beta = beta

    def forward(self, x):
        y = torch.empty_like(x)
        n = x.numel()
        if n == 0:
            return y
        softplus_kernel[(triton.cdiv(n, 128),)](x, y, n, self.beta, 15.0, BLOCK=128)
        return y
