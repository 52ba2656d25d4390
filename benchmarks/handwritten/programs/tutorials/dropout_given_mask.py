# reference: dropout
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def dropout_kernel(x_ptr, keep_ptr, out_ptr, n, p, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    offs = start + tl.arange(0, BLOCK)
    inside = offs < n
    x = tl.load(x_ptr + offs, mask=inside)
    keep = tl.load(keep_ptr + offs, mask=inside)
    tl.store(out_ptr + offs, tl.where(keep > p, x / (1 - p), 0.0), mask=inside)


class ModelNew(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x, keep):
        out = torch.empty_like(x)
        n = x.numel()
        dropout_kernel[(triton.cdiv(n, 1024),)](x, keep, out, n, self.p, BLOCK=1024)
        return out
