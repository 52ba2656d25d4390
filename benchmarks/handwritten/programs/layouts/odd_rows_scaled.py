# reference: odd_rows
# way: width
# faster: rows of odd length start unaligned, so that no load is wide
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scaled_softsign(x_ptr, s_ptr, y_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    m = c < cols
    v = tl.load(x_ptr + row * cols + c, mask=m, other=0.0) * tl.load(s_ptr + row)
    tl.store(y_ptr + row * cols + c, v / (1.0 + tl.abs(v)), mask=m)


class ModelNew(nn.Module):
    def forward(self, x, scale):
        rows, cols = x.shape
        y = torch.empty_like(x)
        scaled_softsign[(rows, triton.cdiv(cols, 128))](x, scale, y, cols, BLOCK=128)
        return y
