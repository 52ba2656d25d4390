import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def topk_rows(x_ptr, y_ptr, n, K: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + c, mask=c < n, other=-float("inf"))
    best = tl.topk(x, K)
    tl.store(y_ptr + row * K + tl.arange(0, K), best)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        rows, n = x.shape
        y = torch.empty((rows, 4), device=x.device, dtype=x.dtype)
        topk_rows[(rows,)](x, y, n, K=4, BLOCK=triton.next_power_of_2(n))
        return y
