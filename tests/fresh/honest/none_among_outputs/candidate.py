import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def center(x_ptr, y_ptr, D, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * D + c, mask=c < D, other=0.0)
    tl.store(y_ptr + row * D + c, x - tl.sum(x, 0) / D, mask=c < D)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        D = x.shape[-1]
        y = torch.empty_like(x)
        center[(x.numel() // D,)](x, y, D, BLOCK=triton.next_power_of_2(D))
        return y, None
