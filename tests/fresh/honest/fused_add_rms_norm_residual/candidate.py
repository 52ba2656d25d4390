import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def fused_add_rms_norm(x_ptr, r_ptr, w_ptr, width, EPS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < width
    x = tl.load(x_ptr + row * width + cols, mask=mask, other=0.0)
    r = tl.load(r_ptr + row * width + cols, mask=mask, other=0.0)
    s = x + r
    tl.store(r_ptr + row * width + cols, s, mask=mask)
    rstd = tl.math.rsqrt(tl.sum(s * s) / width + EPS)
    w = tl.load(w_ptr + cols, mask=mask, other=0.0)
    tl.store(x_ptr + row * width + cols, s * rstd * w, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden))

    def forward(self, x, residual):
        tokens, hidden = x.shape
        fused_add_rms_norm[(tokens,)](x, residual, self.weight, hidden, EPS=1e-5, BLOCK=triton.next_power_of_2(hidden))
        return x, residual
