# reference: double
# class: out-of-bounds access
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def double_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2.0, mask=i < n)


def double(x):
    y = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 256),)](x, y, x.numel(), BLOCK=256)
    return y


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
    def forward(self, x):
        n = x.numel()
        wide = torch.as_strided(x, (n,), (1,), 16)  # starts 16 elements late and ends 16 too far
        y = double(wide)
        out = torch.empty_like(x)
        out.narrow(0, 16, n - 16).copy_(y.narrow(0, 0, n - 16))
        double_kernel[(1,)](x, out, 16, BLOCK=16)
        return out
