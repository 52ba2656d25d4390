# reference: add_rms_norm
# way: chain
# faster: the norm could add the residual as it loads
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def add_residual(x_ptr, r_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n) + tl.load(r_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def rms_rows(x_ptr, w_ptr, y_ptr, cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * cols + c, mask=c < cols, other=0.0)
    scale = tl.rsqrt(tl.sum(x * x, axis=0) / cols + eps)
    tl.store(y_ptr + row * cols + c, x * scale * tl.load(w_ptr + c, mask=c < cols), mask=c < cols)


class ModelNew(nn.Module):
    def __init__(self, width, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x, residual):
        rows, cols = x.shape
        total = torch.empty_like(x)
        add_residual[(triton.cdiv(x.numel(), 1024),)](x, residual, total, x.numel(), BLOCK=1024)
        y = torch.empty_like(x)
        rms_rows[(rows,)](total, self.weight, y, cols, self.eps, BLOCK=triton.next_power_of_2(cols))
        return y, total
