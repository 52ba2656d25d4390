# reference: bf16_mul_add
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def fma_kernel(x_ptr, y_ptr, z_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    x = tl.load(x_ptr + i, mask=m).to(tl.float32)
    y = tl.load(y_ptr + i, mask=m).to(tl.float32)
    z = tl.load(z_ptr + i, mask=m).to(tl.float32)
    # accumulate in float32 and round once
    tl.store(out_ptr + i, (x * y + z).to(tl.bfloat16), mask=m)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, y, z):
        out = torch.empty_like(x)
        n = x.numel()
        fma_kernel[(triton.cdiv(n, 256),)](x, y, z, out, n, BLOCK=256)
        return out
