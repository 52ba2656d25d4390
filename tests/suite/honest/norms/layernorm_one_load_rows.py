# reference: layernorm
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def ln_kernel(x_ptr, w_ptr, b_ptr, y_ptr, M, N, eps, ROWS: tl.constexpr, COLS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, COLS)
    mask = (r[:, None] < M) & (c[None, :] < N)
    x = tl.load(x_ptr + r[:, None] * N + c[None, :], mask=mask, other=0.0)
    mean = tl.sum(x, axis=1) / N
    centred = tl.where(mask, x - mean[:, None], 0.0)
    var = tl.sum(centred * centred, axis=1) / N
    rstd = tl.rsqrt(var + eps)
    w = tl.load(w_ptr + c, mask=c < N, other=0.0)
    b = tl.load(b_ptr + c, mask=c < N, other=0.0)
    tl.store(y_ptr + r[:, None] * N + c[None, :], centred * rstd[:, None] * w[None, :] + b[None, :], mask=mask)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.eps = self.norm.eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        M, N = x.shape
        y = torch.empty_like(x)
        weight, bias = self.norm.weight, self.norm.bias
        ln_kernel[(triton.cdiv(M, 4),)](x, weight, bias, y, M, N, self.eps, ROWS=4, COLS=triton.next_power_of_2(N))
        return y
