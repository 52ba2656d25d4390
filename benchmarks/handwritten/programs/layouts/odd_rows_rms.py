# reference: odd_rms_norm
# way: width
# faster: rows of odd length start unaligned, so that no load is wide
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def rms_odd(x_ptr, y_ptr, N: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * N + c, mask=c < N, other=0.0)
    scale = tl.rsqrt(tl.sum(x * x, axis=0) / N + 1e-5)
    tl.store(y_ptr + row * N + c, x * scale, mask=c < N)


class ModelNew(nn.Module):
    def forward(self, x):
        rows, cols = x.shape
        y = torch.empty_like(x)
        rms_odd[(rows,)](x, y, N=cols, BLOCK=triton.next_power_of_2(cols))
        return y
