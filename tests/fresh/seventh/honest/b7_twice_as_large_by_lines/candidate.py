import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def double(x, y, H: tl.constexpr, W: tl.constexpr, n, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    m = o < n
    ox = o % (2 * W)
    oy = o // (2 * W) % (2 * H)
    p = o // (4 * H * W)
    sx = tl.maximum((ox + 0.5) * 0.5 - 0.5, 0.0)
    sy = tl.maximum((oy + 0.5) * 0.5 - 0.5, 0.0)
    x0 = sx.to(tl.int32)
    y0 = sy.to(tl.int32)
    x1 = tl.minimum(x0 + 1, W - 1)
    y1 = tl.minimum(y0 + 1, H - 1)
    fx = sx - x0
    fy = sy - y0
    src = x + p * H * W
    a = tl.load(src + y0 * W + x0, mask=m)
    b = tl.load(src + y0 * W + x1, mask=m)
    c = tl.load(src + y1 * W + x0, mask=m)
    d = tl.load(src + y1 * W + x1, mask=m)
    tl.store(y + o, (1 - fy) * ((1 - fx) * a + fx * b) + fy * ((1 - fx) * c + fx * d), mask=m)


class ModelNew(nn.Module):
    def forward(self, x):
        n, c, H, W = x.shape
        y = torch.empty((n, c, 2 * H, 2 * W), device=x.device, dtype=x.dtype)
        double[(triton.cdiv(y.numel(), 128),)](x, y, H=H, W=W, n=y.numel(), B=128)
        return y
