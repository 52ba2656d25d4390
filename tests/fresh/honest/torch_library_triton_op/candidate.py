import torch
import torch.nn as nn
import triton
import triton.language as tl
from torch.library import triton_op, wrap_triton


@triton.jit
def sin_mul_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK_SIZE: tl.constexpr):
    offs = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    tl.store(out_ptr + offs, tl.sin(x) * y, mask=mask)


@triton_op("honest_lib::sin_mul", mutates_args={})
def sin_mul(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    n = x.numel()
    wrap_triton(sin_mul_kernel)[(triton.cdiv(n, 128),)](x, y, out, n, 128)
    return out


class ModelNew(nn.Module):
    def forward(self, x, y):
        return sin_mul(x, y)
