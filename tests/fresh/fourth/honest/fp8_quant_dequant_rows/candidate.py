import torch
import triton
import triton.language as tl


@triton.jit
def fp8_round_trip(x_ptr, y_ptr, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * width + c, mask=c < width, other=0.0)
    s = tl.math.div_rn(tl.maximum(tl.max(tl.abs(x), 0), 1e-12), 448.0)
    q = tl.math.div_rn(x, s)
    # normal numbers keep three bits of mantissa, rounded to nearest even; below 2^-6 the step is 2^-9
    bits = q.to(tl.int32, bitcast=True)
    sign = bits & -2147483648
    size = bits & 0x7FFFFFFF
    size = ((size + 0x7FFFF + ((size >> 20) & 1)) >> 20) << 20
    normal = (size | sign).to(tl.float32, bitcast=True)
    magic = 12582912.0
    small = ((q * 512.0 + magic) - magic) / 512.0
    q = tl.where(tl.abs(q) < 0.015625, small, normal)
    tl.store(y_ptr + row * width + c, q * s, mask=c < width)


def forward(x):
    y = torch.empty_like(x)
    fp8_round_trip[(x.shape[0],)](x, y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y
