# reference: half_silu
import torch
import torch.nn as nn
import triton
import triton.language as tl

BLOCK_SIZE = 256
ONE = tl.constexpr(1.0)
COMPUTE = tl.constexpr(tl.float32)
META = {"num_warps": 4, "num_stages": 2}


@triton.jit(do_not_specialize=["n"])
def silu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0).to(COMPUTE)
    tl.store(y_ptr + i, (x / (ONE + tl.exp(-x))).to(y_ptr.dtype.element_ty), mask=i < n)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        y = torch.empty_like(x)
        n = x.numel()
        silu_kernel[(triton.cdiv(n, BLOCK_SIZE),)](x, y, n, BLOCK=BLOCK_SIZE, **META)
        return y
