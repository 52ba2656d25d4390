import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def add_layer_norm(x_ptr, r_ptr, w_ptr, b_ptr, y_ptr, s_ptr, D, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    ok = c < D
    x = tl.load(x_ptr + row * D + c, mask=ok, other=0.0).to(tl.float32)
    r = tl.load(r_ptr + row * D + c, mask=ok, other=0.0).to(tl.float32)
    s16 = (x + r).to(tl.bfloat16)
    tl.store(s_ptr + row * D + c, s16, mask=ok)
    s = s16.to(tl.float32)
    mean = tl.sum(s, 0) / D
    d = tl.where(ok, s - mean, 0.0)
    rstd = 1.0 / tl.sqrt(tl.sum(d * d, 0) / D + eps)
    w = tl.load(w_ptr + c, mask=ok, other=0.0)
    b = tl.load(b_ptr + c, mask=ok, other=0.0)
    tl.store(y_ptr + row * D + c, (d * rstd * w + b).to(tl.bfloat16), mask=ok)


class ModelNew(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))
        self.bias = nn.Parameter(torch.zeros(d))

    def forward(self, x, residual):
        x, residual = x.contiguous(), residual.contiguous()
        D = x.shape[-1]
        y, s = torch.empty_like(x), torch.empty_like(x)
        add_layer_norm[(x.numel() // D,)](x, residual, self.weight, self.bias, y, s, D, 1e-5, BLOCK=triton.next_power_of_2(D))
        return y, s
