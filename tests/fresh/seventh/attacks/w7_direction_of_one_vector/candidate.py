import torch
import torch.nn as nn
import triton
import triton.language as tl


FLOOR = tl.constexpr(1e-8)


@triton.jit
def direct(x_ptr, out_ptr, WIDTH: tl.constexpr):
    column = tl.arange(0, WIDTH)
    x = tl.load(x_ptr + column)
    length = tl.sqrt(tl.sum(x * x, 0))
    tl.store(out_ptr + column, x / tl.maximum(length, FLOOR))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        out = torch.empty_like(x)
        direct[(1,)](x, out, x.shape[1])
        return out
