# reference: rmsnorm
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def sum_of_squares(x_ptr, out_ptr, n_cols, BLOCK: tl.constexpr):
    row, part = tl.program_id(0), tl.program_id(1)
    c = part * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + c, mask=c < n_cols, other=0.0)
    tl.atomic_add(out_ptr + row, tl.sum(x * x, axis=0))


@triton.jit
def apply_norm(x_ptr, ss_ptr, w_ptr, y_ptr, total, n_cols, eps, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < total
    row = i // n_cols
    scale = 1.0 / tl.sqrt(tl.load(ss_ptr + row, mask=ok, other=1.0) / n_cols + eps)
    x = tl.load(x_ptr + i, mask=ok)
    w = tl.load(w_ptr + i % n_cols, mask=ok)
    tl.store(y_ptr + i, x * scale * w, mask=ok)


class ModelNew(nn.Module):
    def __init__(self, width: int, eps: float = 1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x):
        rows, cols = x.shape
        squares = torch.zeros(rows, device=x.device, dtype=torch.float32)
        sum_of_squares[(rows, triton.cdiv(cols, 32))](x, squares, cols, BLOCK=32)
        y = torch.empty_like(x)
        apply_norm[(triton.cdiv(x.numel(), 256),)](x, squares, self.weight, y, x.numel(), cols, self.eps, BLOCK=256)
        return y
