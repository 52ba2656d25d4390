# reference: rope_pairs
# way: width
# faster: two loads with stride two in place of one that is split in registers
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def rope_pairs_kernel(x_ptr, cos_ptr, sin_ptr, y_ptr, half, BLOCK: tl.constexpr):
    token = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    m = j < half
    even = tl.load(x_ptr + token * 2 * half + 2 * j, mask=m, other=0.0)
    odd = tl.load(x_ptr + token * 2 * half + 2 * j + 1, mask=m, other=0.0)
    cos = tl.load(cos_ptr + token * half + j, mask=m, other=0.0)
    sin = tl.load(sin_ptr + token * half + j, mask=m, other=0.0)
    tl.store(y_ptr + token * 2 * half + 2 * j, even * cos - odd * sin, mask=m)
    tl.store(y_ptr + token * 2 * half + 2 * j + 1, even * sin + odd * cos, mask=m)


class ModelNew(nn.Module):
    def forward(self, x, cos, sin):
        tokens, width = x.shape
        y = torch.empty_like(x)
        rope_pairs_kernel[(tokens,)](x, cos, sin, y, width // 2, BLOCK=triton.next_power_of_2(width // 2))
        return y
