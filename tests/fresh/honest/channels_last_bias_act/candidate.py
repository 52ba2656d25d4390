import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def bias_hardswish(x_ptr, b_ptr, y_ptr, C, H, W, xn, xc, xh, xw, yn, yc, yh, yw, BLOCK: tl.constexpr):
    n = tl.program_id(0)
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    ok = i < C * H * W
    c = i % C
    w = (i // C) % W
    h = i // (C * W)
    v = tl.load(x_ptr + n * xn + c * xc + h * xh + w * xw, mask=ok, other=0.0) + tl.load(b_ptr + c, mask=ok, other=0.0)
    gate = tl.minimum(tl.maximum(v + 3.0, 0.0), 6.0)
    tl.store(y_ptr + n * yn + c * yc + h * yh + w * yw, v * gate / 6.0, mask=ok)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(channels))

    def forward(self, x):
        y = torch.empty_like(x, memory_format=torch.preserve_format)
        N, C, H, W = x.shape
        bias_hardswish[(N, triton.cdiv(C * H * W, 64))](x, self.bias, y, C, H, W, *x.stride(), *y.stride(), BLOCK=64)
        return y
