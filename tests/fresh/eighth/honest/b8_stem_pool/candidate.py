import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scaled_pool(x, gain, y, channels, height, width, out_h, out_w, BLOCK: tl.constexpr):
    plane = tl.program_id(1)
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = o < out_h * out_w
    top = (o // out_w) * 2 - 1
    left = (o % out_w) * 2 - 1
    g = tl.load(gain + plane % channels)
    best = tl.full((BLOCK,), float("-inf"), tl.float32)
    for dy in tl.static_range(3):
        for dx in tl.static_range(3):
            r = top + dy
            c = left + dx
            ok = live & (r >= 0) & (r < height) & (c >= 0) & (c < width)
            v = tl.load(x + plane * height * width + r * width + c, mask=ok, other=0.0)
            best = tl.where(ok, tl.maximum(best, v * g), best)
    tl.store(y + plane * out_h * out_w + o, best, mask=live)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.gain = nn.Parameter(torch.randn(channels))

    def forward(self, x):
        b, c, h, w = x.shape
        out_h = (h - 1) // 2 + 1
        out_w = (w - 1) // 2 + 1
        y = torch.empty((b, c, out_h, out_w), device=x.device, dtype=x.dtype)
        scaled_pool[(triton.cdiv(out_h * out_w, 32), b * c)](x, self.gain, y, c, h, w, out_h, out_w, BLOCK=32)
        return y
