# reference: smooth_l1
# way: chain
# faster: difference, loss and mean are three launches
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def difference(x_ptr, y_ptr, d_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(d_ptr + offs, tl.load(x_ptr + offs, mask=mask) - tl.load(y_ptr + offs, mask=mask), mask=mask)


@triton.jit
def huber(d_ptr, l_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    d = tl.load(d_ptr + offs, mask=mask)
    size = tl.abs(d)
    tl.store(l_ptr + offs, tl.where(size < 1.0, 0.5 * size * size, size - 0.5), mask=mask)


@triton.jit
def row_mean(l_ptr, out_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    v = tl.load(l_ptr + row * cols + lanes, mask=lanes < cols, other=0.0)
    tl.store(out_ptr + row, tl.sum(v, axis=0) / cols)


class ModelNew(nn.Module):
    def forward(self, x, y):
        rows, cols = x.shape
        n = rows * cols
        d = torch.empty_like(x)
        difference[(triton.cdiv(n, 256),)](x, y, d, n, BLOCK=256)
        loss = torch.empty_like(x)
        huber[(triton.cdiv(n, 256),)](d, loss, n, BLOCK=256)
        out = torch.empty(rows, device=x.device)
        row_mean[(rows,)](loss, out, cols, BLOCK=triton.next_power_of_2(cols))
        return out
