"""Device functions that lowered kernels call for functions of one element or two: of integers, and as libdevice has.

Only the Triton language is used, so that they also run in the interpreter and compile without libdevice; their source
is copied into the module that uses them. Formulas: erfc and its kin by erf's complement, inverse functions by their
logarithmic forms; Bessel and gamma functions are left to aten.
"""

import triton
import triton.language as tl


@triton.jit
def div_floor_integer(a, b):
    quotient = a // b
    return tl.where(((a < 0) != (b < 0)) & (a % b != 0), quotient - 1, quotient)


@triton.jit
def remainder_integer(a, b):
    remainder = a % b
    return tl.where((remainder != 0) & ((a < 0) != (b < 0)), remainder + b, remainder)


@triton.jit
def pow_integer(base, exponent):
    result = tl.full(base.shape, 1, base.dtype)
    for _ in tl.static_range(6):
        result = tl.where(exponent & 1 == 1, result * base, result)
        base = base * base
        exponent = exponent >> 1
    return result


@triton.jit
def tanh(x):
    # Through exp(-2|x|), which never overflows; a series near zero, where the quotient would cancel.
    decay = tl.exp(-2.0 * tl.abs(x))
    far = (1.0 - decay) / (1.0 + decay)
    square = x * x
    near = tl.abs(x) * (
        1.0 + square * (-0.3333333333333333 + square * (0.13333333333333333 - 0.053968253968253971 * square))
    )
    size = tl.where(tl.abs(x) < 0.1, near, far)
    return tl.where(x < 0, -size, size)


@triton.jit
def sinh(x):
    square = x * x
    near = x * (1.0 + square * (0.16666666666666666 + square * (0.008333333333333333 + square * 0.0001984126984126984)))
    return tl.where(tl.abs(x) < 0.5, near, 0.5 * (tl.exp(x) - tl.exp(-x)))


@triton.jit
def cosh(x):
    return 0.5 * (tl.exp(x) + tl.exp(-x))


@triton.jit
def log1p(x):
    # Goldberg's correction: exact to rounding because log(u) * x / (u - 1) cancels the error in u = 1 + x.
    u = 1.0 + x
    safe = tl.where((u == 1.0) | (u == float("inf")), 1.0, u - 1.0)
    corrected = tl.log(u) * (x / safe)
    return tl.where(u == 1.0, x, tl.where(u == float("inf"), u, corrected))


@triton.jit
def expm1(x):
    square = x * x
    near = x + square * (
        0.5
        + x * (0.16666666666666666 + x * (0.041666666666666664 + x * (0.008333333333333333 + x * 0.001388888888888889)))
    )
    return tl.where(tl.abs(x) < 0.15, near, tl.exp(x) - 1.0)


@triton.jit
def erfc(x):
    return 1.0 - tl.erf(x)


@triton.jit
def trunc(x):
    return tl.where(x < 0, tl.ceil(x), tl.floor(x))


@triton.jit
def nearbyint(x):
    # Halves go to the even neighbour.
    low = tl.floor(x)
    part = x - low
    odd = low - 2.0 * tl.floor(low * 0.5)
    up = (part > 0.5) | ((part == 0.5) & (odd == 1.0))
    return tl.where(up, low + 1.0, low)


@triton.jit
def llrint(x):
    return nearbyint(x).to(tl.int64)


@triton.jit
def copysign(a, b):
    size = tl.abs(a)
    return tl.where((b < 0) | ((b == 0) & (1.0 / b < 0)), -size, size)


@triton.jit
def signbit(x):
    return (x < 0) | ((x == 0) & (1.0 / x < 0))


@triton.jit
def isnan(x):
    return x != x


@triton.jit
def isinf(x):
    return tl.abs(x) == float("inf")


@triton.jit
def log10(x):
    return tl.log(x) * 0.4342944819032518


@triton.jit
def tan(x):
    return tl.sin(x) / tl.cos(x)


@triton.jit
def atan(x):
    # Two halvings of the argument bring it below 0.21, where seven terms of the series suffice.
    size = tl.abs(x)
    inverted = size > 1.0
    y = tl.where(inverted, 1.0 / tl.where(inverted, size, 1.0), size)
    y = y / (1.0 + tl.sqrt(1.0 + y * y))
    y = y / (1.0 + tl.sqrt(1.0 + y * y))
    s = y * y
    series = 1.0 + s * (
        -0.3333333333333333
        + s
        * (
            0.2
            + s
            * (-0.14285714285714285 + s * (0.1111111111111111 + s * (-0.09090909090909091 + s * 0.07692307692307693)))
        )
    )
    angle = 4.0 * y * series
    angle = tl.where(inverted, 1.5707963267948966 - angle, angle)
    return tl.where(x < 0, -angle, angle)


@triton.jit
def atan2(y, x):
    # Both zeros have a sign, and two infinities the angle of two equal numbers.
    far = (tl.abs(x) == float("inf")) & (tl.abs(y) == float("inf"))
    angle = atan(tl.where(far, tl.where((x < 0) == (y < 0), 1.0, -1.0), y / tl.where(x == 0, 1.0, x)))
    straight = tl.where(y < 0, -1.5707963267948966, tl.where(y > 0, 1.5707963267948966, 0.0))
    behind = tl.where(signbit(y), angle - 3.141592653589793, angle + 3.141592653589793)
    return tl.where((x == 0) & (y != 0), straight, tl.where(signbit(x), behind, angle))


@triton.jit
def asin(x):
    return atan2(x, tl.sqrt((1.0 - x) * (1.0 + x)))


@triton.jit
def acos(x):
    return atan2(tl.sqrt((1.0 - x) * (1.0 + x)), x)


@triton.jit
def asinh(x):
    size = tl.abs(x)
    result = log1p(size + size * size / (1.0 + tl.sqrt(size * size + 1.0)))
    return tl.where(x < 0, -result, result)


@triton.jit
def acosh(x):
    return log1p((x - 1.0) + tl.sqrt((x - 1.0) * (x + 1.0)))


@triton.jit
def atanh(x):
    return 0.5 * log1p(2.0 * x / (1.0 - x))


@triton.jit
def hypot(a, b):
    big = tl.maximum(tl.abs(a), tl.abs(b))
    small = tl.minimum(tl.abs(a), tl.abs(b))
    ratio = small / tl.where(big == 0, 1.0, big)
    return big * tl.sqrt(1.0 + ratio * ratio)


@triton.jit
def power(a, b):
    size = tl.exp2(b * tl.log2(tl.abs(a)))
    whole = b == tl.floor(b)
    odd = whole & ((b - 2.0 * tl.floor(b * 0.5)) == 1.0)
    signed = tl.where(odd, -size, size)
    result = tl.where(a < 0, tl.where(whole, signed, float("nan")), size)
    return tl.where((b == 0) | (a == 1.0), 1.0, result)


@triton.jit
def ldexp(x, exponent):
    return x * tl.exp2(exponent.to(x.dtype))


@triton.jit
def frexp(x):
    # By the bits of x; numbers below the normal ones are made larger before.
    if x.dtype == tl.float64:
        small = tl.abs(x) < 2.2250738585072014e-308
        bits = tl.where(small, x * 18014398509481984.0, x).to(tl.int64, bitcast=True)
        exponent = ((bits >> 52) & 2047).to(tl.int32) - 1022 - tl.where(small, 54, 0)
        mantissa = ((bits & ~(2047 << 52)) | (1022 << 52)).to(tl.float64, bitcast=True)
        nothing = (x == 0) | (((bits >> 52) & 2047) == 2047)
    else:
        small = tl.abs(x) < 1.1754943508222875e-38
        bits = tl.where(small, x * 33554432.0, x).to(tl.int32, bitcast=True)
        exponent = ((bits >> 23) & 255) - 126 - tl.where(small, 25, 0)
        mantissa = ((bits & ~(255 << 23)) | (126 << 23)).to(tl.float32, bitcast=True)
        nothing = (x == 0) | (((bits >> 23) & 255) == 255)
    return tl.where(nothing, x, mantissa), tl.where(nothing, 0, exponent)


@triton.jit
def mul_rn(a, b):
    return a * b
