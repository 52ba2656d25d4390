import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def neighbours(place, size):
    at = tl.maximum((place.to(tl.float32) + 0.5) * 0.5 - 0.5, 0.0)
    low = at.to(tl.int32)
    return low, tl.minimum(low + 1, size - 1), at - low.to(tl.float32)


@triton.jit
def upsample(x_ptr, out_ptr, height, width, BLOCK: tl.constexpr):
    plane = tl.program_id(0)
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = at < 4 * height * width
    top, bottom, down = neighbours(at // (2 * width), height)
    left, right, across = neighbours(at % (2 * width), width)
    base = x_ptr + plane * height * width
    a = tl.load(base + top * width + left, mask=inside, other=0.0)
    b = tl.load(base + top * width + right, mask=inside, other=0.0)
    c = tl.load(base + bottom * width + left, mask=inside, other=0.0)
    d = tl.load(base + bottom * width + right, mask=inside, other=0.0)
    upper = a * (1.0 - across) + b * across
    lower = c * (1.0 - across) + d * across
    tl.store(out_ptr + plane * 4 * height * width + at, upper * (1.0 - down) + lower * down, mask=inside)


class ModelNew(nn.Module):
    def forward(self, x):
        n, c, height, width = x.shape
        out = torch.empty(n, c, 2 * height, 2 * width, device=x.device, dtype=x.dtype)
        upsample[(n * c, triton.cdiv(4 * height * width, 128))](x, out, height, width, BLOCK=128)
        return out
