import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def resize(x_ptr, y_ptr, H, W, OH, OW, scale_h, scale_w, BLOCK: tl.constexpr):
    plane = tl.program_id(1)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < OH * OW
    oy = i // OW
    ox = i % OW
    fy = tl.maximum((oy.to(tl.float32) + 0.5) * scale_h - 0.5, 0.0)
    fx = tl.maximum((ox.to(tl.float32) + 0.5) * scale_w - 0.5, 0.0)
    y0 = tl.minimum(fy.to(tl.int32), H - 1)
    x0 = tl.minimum(fx.to(tl.int32), W - 1)
    y1 = tl.minimum(y0 + 1, H - 1)
    x1 = tl.minimum(x0 + 1, W - 1)
    wy = tl.minimum(fy - y0.to(tl.float32), 1.0)
    wx = tl.minimum(fx - x0.to(tl.float32), 1.0)
    base = x_ptr + plane * H * W
    a = tl.load(base + y0 * W + x0, mask=mask, other=0.0)
    b = tl.load(base + y0 * W + x1, mask=mask, other=0.0)
    c = tl.load(base + y1 * W + x0, mask=mask, other=0.0)
    d = tl.load(base + y1 * W + x1, mask=mask, other=0.0)
    top = a * (1.0 - wx) + b * wx
    low = c * (1.0 - wx) + d * wx
    tl.store(y_ptr + plane * OH * OW + i, top * (1.0 - wy) + low * wy, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, height, width):
        super().__init__()
        self.size = (height, width)

    def forward(self, x):
        x = x.contiguous()
        n, c, h, w = x.shape
        oh, ow = self.size
        y = torch.empty((n, c, oh, ow), device=x.device, dtype=x.dtype)
        resize[(triton.cdiv(oh * ow, 64), n * c)](x, y, h, w, oh, ow, h / oh, w / ow, BLOCK=64)
        return y
