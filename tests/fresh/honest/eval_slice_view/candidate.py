import torch
import torch.nn as nn
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def tanh_part(x_ptr, y_ptr, W, K, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * W + c, mask=c < K, other=0.0)
    tl.store(y_ptr + row * K + c, libdevice.tanh(x), mask=c < K)


class ModelNew(nn.Module):
    def __init__(self, keep):
        super().__init__()
        self.keep = keep

    def forward(self, x):
        if not self.training:
            return x[:, : self.keep]
        x = x.contiguous()
        R, W = x.shape
        y = torch.empty((R, self.keep), device=x.device, dtype=x.dtype)
        tanh_part[(R,)](x, y, W, self.keep, BLOCK=triton.next_power_of_2(self.keep))
        return y
