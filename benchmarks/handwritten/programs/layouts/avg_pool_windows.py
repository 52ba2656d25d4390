# reference: avg_pool
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def pool_kernel(x_ptr, y_ptr, size, half, BLOCK: tl.constexpr):
    plane = tl.program_id(0)
    row = tl.program_id(1)
    c = tl.arange(0, BLOCK)
    mask = c < half
    top = x_ptr + plane * size * size + 2 * row * size + 2 * c
    total = tl.load(top, mask=mask, other=0.0) + tl.load(top + 1, mask=mask, other=0.0)
    total += tl.load(top + size, mask=mask, other=0.0) + tl.load(top + size + 1, mask=mask, other=0.0)
    tl.store(y_ptr + (plane * half + row) * half + c, total * 0.25, mask=mask)


class ModelNew(nn.Module):
    def forward(self, x):
        planes, size, _ = x.shape
        half = size // 2
        y = torch.empty((planes, half, half), device=x.device, dtype=x.dtype)
        pool_kernel[(planes, half)](x, y, size, half, BLOCK=triton.next_power_of_2(half))
        return y
