import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def rank_rows(x_ptr, order_ptr, N: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < N
    x = tl.load(x_ptr + row * N + i, mask=inside, other=-float("inf"))
    ahead = (x[None, :] > x[:, None]) | ((x[None, :] == x[:, None]) & (i[None, :] > i[:, None]))
    rank = tl.sum(tl.where(ahead & inside[None, :], 1, 0), axis=1)
    tl.store(order_ptr + row * N + rank, i.to(tl.int64), mask=inside)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, scores):
        rows, count = scores.shape
        order = torch.empty((rows, count), dtype=torch.int64, device=scores.device)
        rank_rows[(rows,)](scores, order, count, triton.next_power_of_2(count))
        return order
