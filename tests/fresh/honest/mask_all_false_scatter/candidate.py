import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def add_selected(x_ptr, m_ptr, o_ptr, C, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if tl.load(m_ptr + row):
        c = tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * C + c, mask=c < C, other=0.0)
        tl.atomic_add(o_ptr + c, x, mask=c < C)


class ModelNew(nn.Module):
    def forward(self, x, mask):
        x = x.contiguous()
        R, C = x.shape
        out = torch.zeros(C, device=x.device, dtype=x.dtype)
        add_selected[(R,)](x, mask, out, C, BLOCK=triton.next_power_of_2(C))
        return out
