import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def adaptive(x_ptr, y_ptr, n, size, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    o = tl.program_id(1)
    low = o * n // size
    high = ((o + 1) * n + size - 1) // size
    c = tl.arange(0, BLOCK)
    inside = (c >= low) & (c < high)
    x = tl.load(x_ptr + row * n + c, mask=inside, other=0.0)
    tl.store(y_ptr + row * size + o, tl.sum(x, 0) / (high - low))


class ModelNew(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size

    def forward(self, x):
        B, C, n = x.shape
        y = torch.empty((B, C, self.size), device=x.device, dtype=x.dtype)
        adaptive[(B * C, self.size)](x, y, n, self.size, BLOCK=triton.next_power_of_2(n))
        return y
