import torch
import torch.nn as nn
import triton
import triton.language as tl


from torch.library import triton_op, wrap_triton


@triton.jit
def hypot_kernel(x_ptr, y_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    y = tl.load(y_ptr + i, mask=i < n, other=0.0)
    a = tl.maximum(tl.abs(x), tl.abs(y))
    b = tl.minimum(tl.abs(x), tl.abs(y))
    r = b / tl.where(a > 0, a, 1.0)
    h = tl.where(a == float("inf"), a, a * tl.sqrt(1.0 + r * r))
    tl.store(o_ptr + i, h + x, mask=i < n)


@triton_op("honest4_ops::hypot_add", mutates_args={})
def hypot_add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    n = x.numel()
    wrap_triton(hypot_kernel)[(triton.cdiv(n, 128),)](x, y, out, n, BLOCK=128)
    return out


class ModelNew(nn.Module):
    def forward(self, x, y):
        return hypot_add(x, y)
