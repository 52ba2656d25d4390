import torch
import triton
import triton.language as tl


@triton.jit
def smaller(a, b):
    return tl.minimum(a, b)


@triton.jit
def edit(a_ptr, b_ptr, o_ptr, n, m, BLOCK: tl.constexpr):
    pair = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    inner = (j >= 1) & (j <= m)
    b = tl.load(b_ptr + pair * m + j - 1, mask=inner, other=0)
    row = j
    for i in range(n):
        a = tl.load(a_ptr + pair * n + i)
        # the value of the left neighbour, by a sum over one-hot places
        left = tl.sum(tl.where(j[None, :] == j[:, None] - 1, row[None, :], 0), 1)
        best = tl.minimum(row + 1, left + (a != b).to(tl.int32))
        best = tl.where(j == 0, i + 1, best)
        row = tl.associative_scan(best - j, 0, smaller) + j
    tl.store(o_ptr + pair, tl.sum(tl.where(j == m, row, 0), 0).to(tl.int64))


def forward(a, b):
    out = torch.empty((a.shape[0],), device=a.device, dtype=torch.int64)
    edit[(a.shape[0],)](a, b, out, a.shape[1], b.shape[1], BLOCK=triton.next_power_of_2(b.shape[1] + 1))
    return out
