import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def layer_norm_rows(x_ptr, w_ptr, b_ptr, y_ptr, mean_ptr, rstd_ptr, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row * n
    y_ptr += row * n
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + i, mask=i < n, other=0.0)
    mean = tl.sum(total, axis=0) / n
    spread = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        d = tl.load(x_ptr + i, mask=i < n, other=0.0) - mean
        spread += tl.where(i < n, d * d, 0.0)
    rstd = 1.0 / tl.sqrt(tl.sum(spread, axis=0) / n + eps)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        ok = i < n
        x = tl.load(x_ptr + i, mask=ok, other=0.0)
        w = tl.load(w_ptr + i, mask=ok, other=0.0)
        b = tl.load(b_ptr + i, mask=ok, other=0.0)
        tl.store(y_ptr + i, (x - mean) * rstd * w + b, mask=ok)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        y = torch.empty_like(x)
        mean = torch.empty(x.shape[0], device=x.device, dtype=torch.float32)
        rstd = torch.empty(x.shape[0], device=x.device, dtype=torch.float32)
        layer_norm_rows[(x.shape[0],)](x, self.norm.weight, self.norm.bias, y, mean, rstd, x.shape[1], self.norm.eps, BLOCK=128)
        return y, mean, rstd
