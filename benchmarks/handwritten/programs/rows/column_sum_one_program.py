# reference: column_sum
# way: width
# faster: a program reads one column, each number from another line of memory
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def column_kernel(x_ptr, out_ptr, rows, cols, BLOCK: tl.constexpr):
    column = tl.program_id(0)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, rows, BLOCK):
        r = start + tl.arange(0, BLOCK)
        acc += tl.load(x_ptr + r * cols + column, mask=r < rows, other=0.0)
    tl.store(out_ptr + column, tl.sum(acc, axis=0))


class ModelNew(nn.Module):
    def forward(self, x):
        rows, cols = x.shape
        out = torch.empty(cols, device=x.device, dtype=x.dtype)
        column_kernel[(cols,)](x, out, rows, cols, BLOCK=32)
        return out
