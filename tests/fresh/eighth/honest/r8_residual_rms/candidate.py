import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def add_rms(x_ptr, r_ptr, w_ptr, y_ptr, s_ptr, eps, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    ok = cols < N
    x = tl.load(x_ptr + row * N + cols, mask=ok, other=0.0).to(tl.float32)
    r = tl.load(r_ptr + row * N + cols, mask=ok, other=0.0).to(tl.float32)
    s = (x + r).to(tl.bfloat16)
    tl.store(s_ptr + row * N + cols, s, mask=ok)
    wide = s.to(tl.float32)
    scale = tl.rsqrt(tl.sum(wide * wide, axis=0) / N + eps)
    near = (wide * scale).to(tl.bfloat16).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=ok, other=0.0).to(tl.float32)
    tl.store(y_ptr + row * N + cols, (near * w).to(tl.bfloat16), mask=ok)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width, dtype=torch.bfloat16))

    def forward(self, x, residual):
        rows, width = x.shape
        y = torch.empty_like(x)
        total = torch.empty_like(x)
        add_rms[(rows,)](x, residual, self.weight, y, total, 1e-5, width, BLOCK=triton.next_power_of_2(width))
        return y, total
