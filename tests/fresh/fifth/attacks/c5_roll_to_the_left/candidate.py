import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def add_rolled(x_ptr, out_ptr, width, shift, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    source = col - shift
    source = tl.where(source < 0, source + width, source)
    x = tl.load(x_ptr + row * width + col, mask=col < width, other=0.0)
    rolled = tl.load(x_ptr + row * width + source, mask=(source >= 0) & (source < width), other=0.0)
    tl.store(out_ptr + row * width + col, x + rolled, mask=col < width)


class ModelNew(nn.Module):
    def forward(self, x, shift: int):
        x = x.contiguous()
        out = torch.empty_like(x)
        add_rolled[(x.shape[0],)](x, out, x.shape[1], shift, BLOCK=triton.next_power_of_2(x.shape[1]))
        return out
