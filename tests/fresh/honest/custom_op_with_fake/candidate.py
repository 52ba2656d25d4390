import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def relu_squared_kernel(x_ptr, out_ptr, n, BLOCK_SIZE: tl.constexpr):
    offs = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask, other=0.0)
    r = tl.maximum(x, 0.0)
    tl.store(out_ptr + offs, r * r, mask=mask)


@torch.library.custom_op("honest_lib::relu_squared", mutates_args=())
def relu_squared(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    relu_squared_kernel[(triton.cdiv(x.numel(), 256),)](x, out, x.numel(), BLOCK_SIZE=256)
    return out


@relu_squared.register_fake
def _(x):
    return torch.empty_like(x)


class ModelNew(nn.Module):
    def forward(self, x):
        return relu_squared(x.contiguous())
