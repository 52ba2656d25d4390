import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def affine_hardswish(
    x_ptr, s_ptr, b_ptr, y_ptr, total, C, H, W,
    xn, xc, xh, xw, yn, yc, yh, yw, BLOCK: tl.constexpr,
):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < total
    w = i % W
    h = i // W % H
    c = i // (W * H) % C
    n = i // (W * H * C)
    x = tl.load(x_ptr + n * xn + c * xc + h * xh + w * xw, mask=mask, other=0.0)
    s = tl.load(s_ptr + c, mask=mask, other=0.0)
    b = tl.load(b_ptr + c, mask=mask, other=0.0)
    z = x * s + b
    y = z * tl.minimum(tl.maximum(z + 3.0, 0.0), 6.0) / 6.0
    tl.store(y_ptr + n * yn + c * yc + h * yh + w * yw, y, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.scale = nn.Parameter(torch.rand(channels, 1, 1) + 0.5)
        self.bias = nn.Parameter(torch.zeros(channels, 1, 1))

    def forward(self, x):
        n, c, h, w = x.shape
        y = torch.empty_like(x)
        total = x.numel()
        affine_hardswish[(triton.cdiv(total, 128),)](
            x, self.scale, self.bias, y, total, c, h, w, *x.stride(), *y.stride(), BLOCK=128
        )
        return y
