import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def depthwise(x_ptr, w_ptr, b_ptr, y_ptr, C, H, W, sn, sc, sh, sw, on, oc, oh, ow, BC: tl.constexpr):
    p = tl.program_id(0)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    ok = c < C
    w = p % W
    h = (p // W) % H
    n = p // (W * H)
    acc = tl.load(b_ptr + c, mask=ok, other=0.0)
    for kh in tl.static_range(3):
        for kw in tl.static_range(3):
            hh = h + kh - 1
            ww = w + kw - 1
            inside = (hh >= 0) & (hh < H) & (ww >= 0) & (ww < W)
            x = tl.load(x_ptr + n * sn + c * sc + hh * sh + ww * sw, mask=ok & inside, other=0.0)
            acc += x * tl.load(w_ptr + c * 9 + kh * 3 + kw, mask=ok, other=0.0)
    tl.store(y_ptr + n * on + c * oc + h * oh + w * ow, acc, mask=ok)


class ModelNew(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.conv = nn.Conv2d(c, c, 3, padding=1, groups=c)

    def forward(self, x):
        N, C, H, W = x.shape
        y = torch.empty_like(x)
        sn, sc, sh, sw = x.stride()
        on, oc, oh, ow = y.stride()
        depthwise[(N * H * W, triton.cdiv(C, 16))](x, self.conv.weight, self.conv.bias, y, C, H, W, sn, sc, sh, sw, on, oc, oh, ow, BC=16)
        return y
