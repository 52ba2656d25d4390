# reference: row_mean_square
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def mean_square_kernel(x_ptr, out_ptr, rows, cols, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr):
    r = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)
    acc = tl.zeros([BLOCK_R], dtype=tl.float32)
    for start in range(0, cols, BLOCK_C):
        c = start + tl.arange(0, BLOCK_C)
        mask = (r[:, None] < rows) & (c[None, :] < cols)
        x = tl.load(x_ptr + r[:, None] * cols + c[None, :], mask=mask, other=0.0)
        acc += tl.sum(x * x, axis=1)
    tl.store(out_ptr + r, acc / cols, mask=r < rows)


class ModelNew(nn.Module):
    def forward(self, x):
        rows, cols = x.shape
        out = torch.empty((rows,), device=x.device, dtype=x.dtype)
        mean_square_kernel[(triton.cdiv(rows, 2),)](x, out, rows, cols, BLOCK_R=2, BLOCK_C=64)
        return out
