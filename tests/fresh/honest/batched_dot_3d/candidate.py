import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def small_matmuls(a_ptr, b_ptr, c_ptr, count, S: tl.constexpr, PER: tl.constexpr):
    z = tl.program_id(0) * PER + tl.arange(0, PER)
    i = tl.arange(0, S)
    offs = z[:, None, None] * S * S + i[None, :, None] * S + i[None, None, :]
    ok = z[:, None, None] < count
    a = tl.load(a_ptr + offs, mask=ok, other=0.0)
    b = tl.load(b_ptr + offs, mask=ok, other=0.0)
    c = tl.dot(a, b, input_precision="ieee")
    tl.store(c_ptr + offs, c, mask=ok)


class ModelNew(nn.Module):
    def forward(self, a, b):
        count, size, _ = a.shape
        c = torch.empty_like(a)
        small_matmuls[(triton.cdiv(count, 4),)](a.contiguous(), b.contiguous(), c, count, S=size, PER=4)
        return c
