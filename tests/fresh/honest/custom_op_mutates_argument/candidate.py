import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scale_squares(x_ptr, o_ptr, D, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * D + c, mask=c < D, other=0.0) * 0.25
    tl.store(x_ptr + row * D + c, x, mask=c < D)
    tl.store(o_ptr + row, tl.sum(x * x, 0))


@torch.library.custom_op("honest_lib::scale_squares", mutates_args={"x"})
def scale_squares_(x: torch.Tensor) -> torch.Tensor:
    rows, D = x.shape
    out = torch.empty(rows, device=x.device, dtype=x.dtype)
    scale_squares[(rows,)](x, out, D, BLOCK=triton.next_power_of_2(D))
    return out


class ModelNew(nn.Module):
    def forward(self, x):
        return scale_squares_(x)
