import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def lookup(ids_ptr, first_ptr, second_ptr, out_ptr, n, first, second, dim, ROWS: tl.constexpr, DIM: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    d = tl.arange(0, DIM)
    ids = tl.load(ids_ptr + r, mask=r < n, other=0).to(tl.int32)
    one = ids % first
    two = ids % second
    one = tl.where(one < 0, one + first, one)
    two = tl.where(two < 0, two + second, two)
    m = (r < n)[:, None] & (d < dim)[None, :]
    a = tl.load(first_ptr + one[:, None] * dim + d[None, :], mask=m, other=0.0).to(tl.float32)
    b = tl.load(second_ptr + two[:, None] * dim + d[None, :], mask=m, other=0.0).to(tl.float32)
    tl.store(out_ptr + r[:, None] * dim + d[None, :], tl.maximum(a, b).to(tl.bfloat16), mask=m)


class ModelNew(nn.Module):
    def __init__(self, first, second, dim):
        super().__init__()
        self.first = nn.Parameter(torch.randn(first, dim, dtype=torch.bfloat16))
        self.second = nn.Parameter(torch.randn(second, dim, dtype=torch.bfloat16))

    def forward(self, ids):
        n = ids.shape[0]
        first, dim = self.first.shape
        second = self.second.shape[0]
        out = torch.empty((n, dim), device=ids.device, dtype=torch.bfloat16)
        lookup[(triton.cdiv(n, 16),)](
            ids, self.first, self.second, out, n, first, second, dim, ROWS=16, DIM=triton.next_power_of_2(dim)
        )
        return out
