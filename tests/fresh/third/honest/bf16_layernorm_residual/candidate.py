import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def add_norm(x_ptr, r_ptr, w_ptr, b_ptr, y_ptr, h_ptr, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    mask = c < N
    x = tl.load(x_ptr + row * N + c, mask=mask, other=0.0).to(tl.float32)
    r = tl.load(r_ptr + row * N + c, mask=mask, other=0.0).to(tl.float32)
    h16 = (x + r).to(tl.bfloat16)
    tl.store(h_ptr + row * N + c, h16, mask=mask)
    h = h16.to(tl.float32)
    mean = tl.sum(h, 0) / N
    d = tl.where(mask, h - mean, 0.0)
    rstd = tl.rsqrt(tl.sum(d * d, 0) / N + eps)
    w = tl.load(w_ptr + c, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(b_ptr + c, mask=mask, other=0.0).to(tl.float32)
    tl.store(y_ptr + row * N + c, (d * rstd * w + b).to(tl.bfloat16), mask=mask)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width).bfloat16()

    def forward(self, x, residual):
        x, residual = x.contiguous(), residual.contiguous()
        n = x.shape[-1]
        y = torch.empty_like(x)
        h = torch.empty_like(x)
        add_norm[(x.numel() // n,)](
            x, residual, self.norm.weight, self.norm.bias, y, h, n, self.norm.eps, BLOCK=triton.next_power_of_2(n)
        )
        return y, h
