# reference: bf16_mul_add
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def mul_add(x_ptr, y_ptr, z_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    x = tl.load(x_ptr + i, mask=m, other=0.0)
    y = tl.load(y_ptr + i, mask=m, other=0.0)
    z = tl.load(z_ptr + i, mask=m, other=0.0)
    product = (x.to(tl.float32) * y.to(tl.float32)).to(tl.bfloat16)  # rounds where eager does
    total = product.to(tl.float32) + z.to(tl.float32)
    tl.store(out_ptr + i, total.to(tl.bfloat16), mask=m)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, y, z):
        assert x.dtype == torch.bfloat16
        out = torch.empty(x.shape, device=x.device, dtype=torch.bfloat16)
        mul_add[(triton.cdiv(x.numel(), 128),)](x, y, z, out, x.numel(), BLOCK=128)
        return out
