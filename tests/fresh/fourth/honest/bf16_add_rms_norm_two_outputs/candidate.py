import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def fused_add_rms(x_ptr, r_ptr, w_ptr, y_ptr, s_ptr, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    ok = c < n
    x = tl.load(x_ptr + row * n + c, mask=ok, other=0.0).to(tl.float32)
    r = tl.load(r_ptr + row * n + c, mask=ok, other=0.0).to(tl.float32)
    s = (x + r).to(tl.bfloat16)
    tl.store(s_ptr + row * n + c, s, mask=ok)
    h = s.to(tl.float32)
    w = tl.load(w_ptr + c, mask=ok, other=0.0).to(tl.float32)
    y = h * tl.rsqrt(tl.sum(h * h, 0) / n + eps) * w
    tl.store(y_ptr + row * n + c, y.to(tl.bfloat16), mask=ok)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width, dtype=torch.bfloat16))

    def forward(self, x, residual):
        y, s = torch.empty_like(x), torch.empty_like(residual)
        n = x.shape[-1]
        fused_add_rms[(x.numel() // n,)](x, residual, self.weight, y, s, n, 1e-6, BLOCK=triton.next_power_of_2(n))
        return y, s
