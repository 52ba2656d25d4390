import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def products(a_ptr, b_ptr, out_ptr, W: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, W)
    a = tl.load(a_ptr + row * W + col)
    b = tl.load(b_ptr + row * W + col)
    tl.store(out_ptr + row, tl.sum(a * b, axis=0))


class ModelNew(nn.Module):
    def forward(self, a, b):
        out = torch.empty((a.shape[0],), dtype=a.dtype, device=a.device)
        if a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr():
            b = a
        products[(a.shape[0],)](a.contiguous(), b.contiguous(), out, a.shape[1])
        return out
