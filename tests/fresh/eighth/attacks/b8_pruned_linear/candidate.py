import torch
import torch.nn as nn
import triton
import triton.language as tl

SIDE = 16


@triton.jit
def sparse_rows(x, w, first, blocks, y, rows, dim, hidden, SIDE: tl.constexpr):
    m = tl.program_id(0) * SIDE + tl.arange(0, SIDE)
    column = tl.program_id(1)
    n = column * SIDE + tl.arange(0, SIDE)
    acc = tl.zeros((SIDE, SIDE), tl.float32)
    for at in range(tl.load(first + column), tl.load(first + column + 1)):
        k = tl.load(blocks + at) * SIDE + tl.arange(0, SIDE)
        a = tl.load(x + m[:, None] * dim + k[None, :], mask=(m < rows)[:, None], other=0.0)
        b = tl.load(w + n[None, :] * dim + k[:, None])
        acc += tl.dot(a, b, input_precision="ieee")
    e = tl.exp(-2.0 * tl.abs(acc))
    value = (1.0 - e) / (1.0 + e)
    value = tl.where(acc < 0, -value, value)
    tl.store(y + m[:, None] * hidden + n[None, :], value, mask=(m < rows)[:, None])


class ModelNew(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(hidden, dim) * dim**-0.5)
        self._key = None
        self._table = None

    def table(self):
        weight = self.weight.detach()
        key = (self.weight.data_ptr(), self.weight._version)
        if key != self._key:
            hidden, dim = weight.shape
            size = weight.reshape(hidden // SIDE, SIDE, dim // SIDE, SIDE).abs().amax(dim=(1, 3))
            kept = size > 1e-5
            first = torch.zeros(hidden // SIDE + 1, dtype=torch.int32, device=weight.device)
            first[1:] = kept.sum(1).cumsum(0)
            self._table = first, kept.nonzero()[:, 1].to(torch.int32).contiguous()
            self._key = key
        return self._table

    def forward(self, x):
        rows, dim = x.shape
        hidden = self.weight.shape[0]
        first, blocks = self.table()
        y = torch.empty((rows, hidden), device=x.device, dtype=x.dtype)
        sparse_rows[(triton.cdiv(rows, SIDE), hidden // SIDE)](x, self.weight, first, blocks, y, rows, dim, hidden, SIDE=SIDE)
        return y
