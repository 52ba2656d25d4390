import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def rank_sort(keys, values, order, n, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    mine = tl.load(keys + r * n + i, mask=i < n, other=0)
    rank = tl.zeros((B,), tl.int32)
    for j in range(n):
        other = tl.load(keys + r * n + j)
        rank += ((other < mine) | ((other == mine) & (j < i))).to(tl.int32)
    tl.store(values + r * n + rank, mine, mask=i < n)
    tl.store(order + r * n + rank, i.to(tl.int64), mask=i < n)


class ModelNew(nn.Module):
    def forward(self, keys):
        rows, n = keys.shape
        values = torch.empty_like(keys)
        order = torch.empty((rows, n), device=keys.device, dtype=torch.int64)
        rank_sort[(rows,)](keys, values, order, n, B=triton.next_power_of_2(n))
        return values, order
