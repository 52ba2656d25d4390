import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def sub_max(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK >= 16, "block too small")
    tl.static_print("block", BLOCK)
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    tl.device_assert(n <= BLOCK, "row does not fit")
    x = tl.load(x_ptr + row * n + c, mask=c < n, other=-float("inf"))
    tl.store(y_ptr + row * n + c, x - tl.max(x, 0), mask=c < n)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        rows, n = x.shape
        y = torch.empty_like(x)
        sub_max[(rows,)](x, y, n, BLOCK=max(16, triton.next_power_of_2(n)))
        return y
