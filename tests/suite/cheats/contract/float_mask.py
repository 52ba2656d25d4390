# reference: compare
# class: wrong contract: dtype
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def compare_kernel(x_ptr, y_ptr, a_ptr, n_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * N + c, mask=c < N, other=0.0)
    y = tl.load(y_ptr + row * N + c, mask=c < N, other=0.0)
    above = tl.where(x > y, 1.0, 0.0)
    tl.store(a_ptr + row * N + c, above, mask=c < N)
    tl.store(n_ptr + row, tl.sum(above, axis=0))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
    def forward(self, x, y):
        above = torch.empty_like(x)
        count = torch.empty(x.shape[0], device=x.device)
        compare_kernel[(x.shape[0],)](x, y, above, count, x.shape[1], BLOCK=64)
        return above, count
