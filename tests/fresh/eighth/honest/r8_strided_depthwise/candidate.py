import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def depthwise(x_ptr, w_ptr, b_ptr, y_ptr, C, H, W, OH, OW, BLOCK: tl.constexpr):
    plane = tl.program_id(0)
    c = plane % C
    place = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    ok = place < OH * OW
    oy = place // OW
    ox = place % OW
    acc = tl.zeros((BLOCK,), dtype=tl.float32) + tl.load(b_ptr + c).to(tl.float32)
    for dy in tl.static_range(3):
        for dx in tl.static_range(3):
            iy = oy * 2 + dy - 1
            ix = ox * 2 + dx - 1
            seen = ok & (iy >= 0) & (iy < H) & (ix >= 0) & (ix < W)
            x = tl.load(x_ptr + plane * H * W + iy * W + ix, mask=seen, other=0.0).to(tl.float32)
            acc += x * tl.load(w_ptr + c * 9 + dy * 3 + dx).to(tl.float32)
    tl.store(y_ptr + plane * OH * OW + place, acc.to(tl.bfloat16), mask=ok)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, stride=2, padding=1, groups=channels).to(torch.bfloat16)

    def forward(self, x):
        n, c, h, w = x.shape
        oh = (h - 1) // 2 + 1
        ow = (w - 1) // 2 + 1
        y = torch.empty((n, c, oh, ow), device=x.device, dtype=x.dtype)
        grid = (n * c, triton.cdiv(oh * ow, 32))
        depthwise[grid](x, self.conv.weight, self.conv.bias, y, c, h, w, oh, ow, 32)
        return y
