import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def add_rms(x_ptr, res_ptr, w_ptr, y_ptr, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row * N + cols, mask=mask, other=0.0)
    r = tl.load(res_ptr + row * N + cols, mask=mask, other=0.0)
    h = x + r
    tl.store(res_ptr + row * N + cols, h, mask=mask)
    var = tl.sum(h * h, axis=0) / N
    w = tl.load(w_ptr + cols, mask=mask, other=0.0)
    tl.store(y_ptr + row * N + cols, h * tl.rsqrt(var + eps) * w, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, width, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x, residual):
        x = x.contiguous()
        width = x.shape[-1]
        rows = x.numel() // width
        y = torch.empty_like(x)
        add_rms[(rows,)](x, residual, self.weight, y, width, self.eps, BLOCK=triton.next_power_of_2(width))
        return y
