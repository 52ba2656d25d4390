import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def accumulate(table, ids, grad, count, dim, ROWS: tl.constexpr, DIM: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    d = tl.arange(0, DIM)
    mask = (r < count)[:, None] & (d < dim)[None, :]
    index = tl.load(ids + r, mask=r < count, other=0)
    g = tl.load(grad + r[:, None] * dim + d[None, :], mask=mask, other=0.0)
    at = table + index[:, None] * dim + d[None, :]
    old = tl.load(at, mask=mask, other=0.0)
    tl.store(at, old + 0.5 * g, mask=mask)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, table, ids, grad):
        count, dim = grad.shape
        accumulate[(triton.cdiv(count, 16),)](table, ids, grad, count, dim, ROWS=16, DIM=triton.next_power_of_2(dim))
        return table
