import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scale_bias(x_ptr, s_ptr, b_ptr, y_ptr, n, C, H, W, sxn, sxc, sxh, sxw, syn, syc, syh, syw, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    c = i % C
    w = i // C % W
    h = i // (C * W) % H
    b = i // (C * W * H)
    x = tl.load(x_ptr + b * sxn + c * sxc + h * sxh + w * sxw, mask=ok, other=0.0)
    y = x * tl.load(s_ptr + c, mask=ok, other=0.0) + tl.load(b_ptr + c, mask=ok, other=0.0)
    tl.store(y_ptr + b * syn + c * syc + h * syh + w * syw, tl.maximum(y, 0.0), mask=ok)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.scale = nn.Parameter(torch.randn(channels))
        self.bias = nn.Parameter(torch.randn(channels))

    def forward(self, x):
        y = torch.empty_like(x)
        B, C, H, W = x.shape
        scale_bias[(triton.cdiv(x.numel(), 64),)](x, self.scale, self.bias, y, x.numel(), C, H, W,
                                                  x.stride(0), x.stride(1), x.stride(2), x.stride(3),
                                                  y.stride(0), y.stride(1), y.stride(2), y.stride(3), BLOCK=64)
        return y
