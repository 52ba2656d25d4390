import torch
import triton
import triton.language as tl


@triton.jit
def phase(real_ptr, imaginary_ptr, out_ptr, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    x = tl.load(real_ptr + at, mask=inside, other=1.0)
    y = tl.load(imaginary_ptr + at, mask=inside, other=0.0)
    high = tl.maximum(tl.abs(x), tl.abs(y))
    low = tl.minimum(tl.abs(x), tl.abs(y))
    tangent = tl.where(low == high, 1.0, low / high)
    tangent = tl.where(high == 0.0, 0.0, tangent)
    half = tangent / (1.0 + tl.sqrt(1.0 + tangent * tangent))
    t = half / (1.0 + tl.sqrt(1.0 + half * half))
    s = t * t
    series = 1.0 + s * (-1.0 / 3.0 + s * (0.2 + s * (-1.0 / 7.0 + s * (1.0 / 9.0 - s * (1.0 / 11.0)))))
    angle = 4.0 * t * series
    angle = tl.where(tl.abs(y) > tl.abs(x), 1.5707963267948966 - angle, angle)
    angle = tl.where(x < 0.0, 3.141592653589793 - angle, angle)
    tl.store(out_ptr + at, tl.where(y < 0.0, -angle, angle), mask=inside)


def forward(real, imaginary):
    out = torch.empty_like(real)
    phase[(triton.cdiv(real.numel(), 256),)](real, imaginary, out, real.numel(), 256)
    return out
