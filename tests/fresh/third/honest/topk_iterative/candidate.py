import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def top_four(x_ptr, v_ptr, mean_ptr, N, K: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * N + cols, mask=cols < N, other=-float("inf"))
    free = cols < N
    total = 0.0
    for k in tl.static_range(K):
        best = tl.max(tl.where(free, x, -float("inf")), 0)
        place = tl.min(tl.where(free & (x == best), cols, BLOCK), 0)
        free = free & (cols != place)
        tl.store(v_ptr + row * K + k, best)
        total += best
    tl.store(mean_ptr + row, total / K)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        rows, n = x.shape
        values = torch.empty((rows, 4), device=x.device, dtype=x.dtype)
        mean = torch.empty((rows,), device=x.device, dtype=x.dtype)
        top_four[(rows,)](x, values, mean, n, K=4, BLOCK=triton.next_power_of_2(n))
        return values, mean
