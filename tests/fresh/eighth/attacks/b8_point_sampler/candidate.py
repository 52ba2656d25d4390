import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def corner(feat, plane, iy, ix, height, width, weight, live):
    inside = live & (ix >= 0) & (ix < width) & (iy >= 0) & (iy < height)
    return weight * tl.load(feat + plane + iy * width + ix, mask=inside, other=0.0)


@triton.jit
def sample(feat, points, out, n, height, width, BLOCK: tl.constexpr):
    channel = tl.program_id(1)
    p = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = p < n
    x = tl.load(points + 2 * p, mask=live, other=0.0)
    y = tl.load(points + 2 * p + 1, mask=live, other=0.0)
    ix = x.to(tl.int32)
    iy = y.to(tl.int32)
    fx = x - ix.to(tl.float32)
    fy = y - iy.to(tl.float32)
    plane = channel * height * width
    acc = corner(feat, plane, iy, ix, height, width, (1 - fx) * (1 - fy), live)
    acc += corner(feat, plane, iy, ix + 1, height, width, fx * (1 - fy), live)
    acc += corner(feat, plane, iy + 1, ix, height, width, (1 - fx) * fy, live)
    acc += corner(feat, plane, iy + 1, ix + 1, height, width, fx * fy, live)
    tl.store(out + channel * n + p, acc, mask=live)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, feat, points):
        channels, height, width = feat.shape
        n = points.shape[0]
        out = torch.empty((channels, n), device=feat.device, dtype=feat.dtype)
        sample[(triton.cdiv(n, 32), channels)](feat, points, out, n, height, width, BLOCK=32)
        return out
