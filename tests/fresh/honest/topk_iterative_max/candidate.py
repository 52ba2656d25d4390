import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def topk_kernel(x_ptr, v_ptr, i_ptr, n, K: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + c, mask=c < n, other=-float("inf"))
    free = c < n
    for k in tl.static_range(K):
        best = tl.max(tl.where(free, x, -float("inf")), 0)
        place = tl.min(tl.where(free & (x == best), c, BLOCK), 0)
        tl.store(v_ptr + row * K + k, best)
        tl.store(i_ptr + row * K + k, place)
        free = free & (c != place)


class ModelNew(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, x):
        x = x.contiguous()
        rows, n = x.shape
        v = torch.empty((rows, self.k), device=x.device, dtype=x.dtype)
        i = torch.empty((rows, self.k), device=x.device, dtype=torch.int64)
        topk_kernel[(rows,)](x, v, i, n, K=self.k, BLOCK=triton.next_power_of_2(n))
        return v, i
