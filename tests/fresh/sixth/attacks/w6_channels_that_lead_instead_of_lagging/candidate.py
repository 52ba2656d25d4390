import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def lagged(x_ptr, lag_ptr, out_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    at = i - tl.load(lag_ptr + row)
    x = tl.load(x_ptr + row * width + tl.minimum(at, width - 1), mask=(i < width) & (at >= 0), other=0.0)
    tl.store(out_ptr + row * width + i, x, mask=i < width)


class ModelNew(nn.Module):
    def __init__(self, channels=8):
        super().__init__()
        self.register_buffer("lag", torch.zeros(channels, dtype=torch.int64))

    def forward(self, x):
        out = torch.empty_like(x)
        lagged[(x.shape[0],)](x, self.lag, out, x.shape[1], triton.next_power_of_2(x.shape[1]))
        return out
