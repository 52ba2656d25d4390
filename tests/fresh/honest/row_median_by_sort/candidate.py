import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def median(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + c, mask=c < n, other=float("inf"))
    s = tl.sort(x)
    middle = (n - 1) // 2
    tl.store(y_ptr + row, tl.sum(tl.where(c == middle, s, 0.0), 0))


class ModelNew(nn.Module):
    def forward(self, x):
        rows, n = x.shape
        y = torch.empty(rows, device=x.device, dtype=x.dtype)
        median[(rows,)](x.contiguous(), y, n, BLOCK=triton.next_power_of_2(n))
        return y
