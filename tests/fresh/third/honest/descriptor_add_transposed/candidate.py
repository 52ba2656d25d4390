import torch
import torch.nn as nn
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def add_t(x_desc, y_desc, out_desc, B: tl.constexpr):
    r = tl.program_id(0) * B
    c = tl.program_id(1) * B
    total = x_desc.load([r, c]) + y_desc.load([r, c])
    out_desc.store([c, r], total.T)


class ModelNew(nn.Module):
    def forward(self, x, y):
        x, y = x.contiguous(), y.contiguous()
        rows, cols = x.shape
        out = torch.empty((cols, rows), device=x.device, dtype=x.dtype)
        block = 16
        x_desc = TensorDescriptor(x, [rows, cols], [cols, 1], [block, block])
        y_desc = TensorDescriptor(y, [rows, cols], [cols, 1], [block, block])
        out_desc = TensorDescriptor(out, [cols, rows], [rows, 1], [block, block])
        add_t[(triton.cdiv(rows, block), triton.cdiv(cols, block))](x_desc, y_desc, out_desc, B=block)
        return out
