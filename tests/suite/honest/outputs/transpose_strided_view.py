# reference: transpose
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def strided_copy(src_ptr, dst_ptr, n, width, s0, s1, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    r = i // width
    c = i % width
    v = tl.load(src_ptr + r * s0 + c * s1, mask=i < n)
    tl.store(dst_ptr + i, v, mask=i < n)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        xt = x.t()  # a view; the kernel reads it through its strides
        out = torch.empty(xt.shape, device=x.device, dtype=x.dtype)
        n = xt.numel()
        strided_copy[(triton.cdiv(n, 128),)](xt, out, n, xt.shape[1], xt.stride(0), xt.stride(1), BLOCK=128)
        return out
