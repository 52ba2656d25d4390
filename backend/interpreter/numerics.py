"""Arithmetic that numpy lacks or does otherwise than a GPU: bfloat16, the math library, folds over an axis."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

Array = NDArray[Any]
Arrays = Sequence[Array]


def bf16_to_f32(bits: NDArray[np.uint16]) -> NDArray[np.float32]:
    """Widen bfloat16, held as its bits."""
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)


def cut_to_tf32(values: NDArray[Any]) -> NDArray[Any]:
    """Numbers as tensor cores see fp32 operands by default: ten bits after the point, what follows is not looked at."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    return np.where(np.isfinite(values), (bits & np.uint32(0xFFFFE000)).view(np.float32), values)


def f32_to_bf16(values: Array) -> NDArray[np.uint16]:
    """Round to the nearest bfloat16, ties to even; NaN stays NaN."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
    result: NDArray[np.uint16] = np.where(np.isnan(values), np.uint16(0x7FC0), rounded.astype(np.uint16))
    return result


def flushed(values: Array) -> Array:
    """Numbers of fp32 as an instruction with `.ftz` sees and gives them: denormal ones are zeros of their sign."""
    if values.dtype != np.float32:
        return values
    return np.where(np.abs(values) < np.finfo(np.float32).tiny, np.copysign(np.float32(0), values), values)


def sqrt(values: Array) -> Array:
    """`sqrt.approx.ftz`."""
    return np.sqrt(flushed(values))


def rsqrt(values: Array) -> Array:
    """`rsqrt.approx.ftz`."""
    return 1 / np.sqrt(flushed(values))


def exp2(values: Array) -> Array:
    """`ex2.approx.ftz`."""
    return flushed(np.exp2(values))


def _torch(function: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[Array], Array]:
    def apply(values: Array) -> Array:
        result: Array = function(torch.from_numpy(np.array(values))).numpy()
        return result

    return apply


def _round_away(values: Array) -> Array:
    whole = np.trunc(np.abs(values))
    result: Array = np.copysign(whole + (np.abs(values) - whole >= 0.5), values)
    return result


def fused(x: Array, y: Array, z: Array) -> Array:
    """x * y + z rounded once: products of fp32 are exact in fp64."""
    wide = np.longdouble if x.dtype == np.float64 else np.float64
    result: Array = (x.astype(wide) * y.astype(wide) + z.astype(wide)).astype(z.dtype)
    return result


def high_half(x: Array, y: Array) -> Array:
    """The upper half of the product of two integers of one size, taken as numbers without a sign."""
    bits = 8 * x.dtype.itemsize
    a, b = (value.view(f"u{value.dtype.itemsize}") for value in (np.ascontiguousarray(x), np.ascontiguousarray(y)))
    if bits < 64:
        product = a.astype(np.uint64) * b.astype(np.uint64)
        upper: Array = (product >> np.uint64(bits)).astype(a.dtype).view(x.dtype)
        return upper
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    middle = (a >> half) * (b & low) + (((a & low) * (b & low)) >> half)
    carried = (middle & low) + (a & low) * (b >> half)
    result: Array = ((a >> half) * (b >> half) + (middle >> half) + (carried >> half)).view(x.dtype)
    return result


#: torch's dtypes of fp8, whose casts round to the nearest; by what Triton calls them, with their largest numbers.
FP8 = {"fp8e4nv": (torch.float8_e4m3fn, 448.0), "fp8e5": (torch.float8_e5m2, 57344.0)}


def fp8_to_f32(bits: NDArray[np.uint8], name: str) -> NDArray[np.float32]:
    """Widen fp8, held as its bits."""
    held = torch.from_numpy(np.array(bits, dtype=np.uint8)).view(FP8[name][0])
    widened: NDArray[np.float32] = held.float().numpy()
    return widened


def f32_to_fp8(values: Array, name: str) -> NDArray[np.uint8]:
    """Round to the nearest fp8, ties to even; what is too large becomes the largest number, as on a GPU."""
    dtype, most = FP8[name]
    bounded = torch.from_numpy(np.array(values, dtype=np.float32)).clamp(-most, most)
    bits: NDArray[np.uint8] = bounded.to(dtype).view(torch.uint8).numpy()
    return bits


def to_integers(values: Array, dtype: np.dtype) -> Array:
    """Floats cut to integers as PTX does: what is out of range is the nearest integer in it, NaN is 0."""
    if dtype.itemsize < 4:
        return values.astype(dtype)
    limits = np.iinfo(dtype)
    wide = np.trunc(values.astype(np.float64))
    inside = np.clip(wide, float(limits.min), float(np.nextafter(float(limits.max) + 1.0, 0)))
    result = np.where(np.isnan(wide), 0.0, inside).astype(dtype)
    return np.where(wide >= float(limits.max), limits.max, result).astype(dtype)


def fold_in_turn(values: Array, axis: int, parts: int) -> Array:
    """Sums along an axis in the values' own dtype, rounded at each step: as `parts` threads take them, a run each, and
    then these together as a tree."""
    size = values.shape[axis]
    runs = max(1, size // parts)
    moved = np.moveaxis(values, axis, -1)
    grouped = moved.reshape(*moved.shape[:-1], size // runs, runs)
    total = grouped[..., 0]
    for step in range(1, runs):
        total = total + grouped[..., step]
    while total.shape[-1] > 1:
        total = total[..., 0::2] + total[..., 1::2]
    return total[..., 0]


erf = _torch(torch.erf)

#: libdevice's names, without `__nv_` and the type suffix.
LIBDEVICE: Mapping[str, Callable[..., Array]] = {
    **{name: getattr(np, name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "expm1")},
    **{name: getattr(np, name) for name in ("log", "log2", "log10", "log1p", "cbrt", "floor", "ceil")},
    **{name: getattr(np, name) for name in ("trunc", "rint", "fabs", "fmod", "hypot", "copysign", "nextafter")},
    "abs": np.abs,
    "llabs": np.abs,
    "acos": np.arccos,
    "asin": np.arcsin,
    "atan": np.arctan,
    "acosh": np.arccosh,
    "asinh": np.arcsinh,
    "atanh": np.arctanh,
    "atan2": np.arctan2,
    "exp10": lambda x: np.power(x.dtype.type(10), x),
    "pow": np.power,
    "powi": np.power,
    "exp": lambda x: flushed(np.exp(x)),
    "exp2": exp2,
    "rsqrt": rsqrt,
    "sqrt": sqrt,
    "fsqrt_rn": np.sqrt,
    "dsqrt_rn": np.sqrt,
    "nearbyint": np.rint,
    "round": _round_away,
    "fdim": lambda x, y: np.maximum(x - y, 0),
    "fma": fused,
    "isnan": lambda x: np.isnan(x).astype(np.int32),
    "isinf": lambda x: np.isinf(x).astype(np.int32),
    "isfinite": lambda x: np.isfinite(x).astype(np.int32),
    "finite": lambda x: np.isfinite(x).astype(np.int32),
    "signbit": lambda x: np.signbit(x).astype(np.int32),
    "cospi": lambda x: np.cos(np.pi * (x.astype(np.float64) % 2)).astype(x.dtype),
    "sinpi": lambda x: np.sin(np.pi * np.fmod(x.astype(np.float64), 2)).astype(x.dtype),
    "ilogb": lambda x: np.frexp(x)[1] - 1,
    "ldexp": np.ldexp,
    "rcbrt": lambda x: 1 / np.cbrt(x),
    "erf": erf,
    "erfc": _torch(torch.erfc),
    "erfinv": _torch(torch.erfinv),
    "erfcx": _torch(torch.special.erfcx),
    "lgamma": _torch(torch.lgamma),
    "normcdf": _torch(torch.special.ndtr),
    "j0": _torch(torch.special.bessel_j0),
    "j1": _torch(torch.special.bessel_j1),
    "y0": _torch(torch.special.bessel_y0),
    "y1": _torch(torch.special.bessel_y1),
    "cyl_bessel_i0": _torch(torch.special.i0),
    "cyl_bessel_i1": _torch(torch.special.i1),
}


def libdevice(symbol: str) -> Callable[..., Array] | None:
    """The numpy function for a libdevice symbol such as `__nv_tanhf`, or None."""
    name = symbol.removeprefix("__nv_").removeprefix("fast_")
    for candidate in (name, name.removesuffix("f"), name.removesuffix("d")):
        if candidate in LIBDEVICE:
            return LIBDEVICE[candidate]
    return None


def _part(axis: int, begin: int | None, end: int | None, step: int = 1) -> tuple[slice, ...]:
    return (*(slice(None),) * axis, slice(begin, end, step))


def fold(arrays: Arrays, combine: Callable[[Arrays, Arrays], Arrays], axis: int) -> Arrays:
    """Reduce over an axis, as a tree of neighbours, by an associative `combine` of (left, right)."""
    while (size := arrays[0].shape[axis]) > 1:
        even = size // 2 * 2
        left, right, rest = _part(axis, 0, even, 2), _part(axis, 1, even, 2), _part(axis, even, None)
        folded = combine([a[left] for a in arrays], [a[right] for a in arrays])
        if even < size:
            folded = [np.concatenate([f, a[rest]], axis) for f, a in zip(folded, arrays, strict=True)]
        arrays = folded
    return [a.squeeze(axis) for a in arrays]


def fold_by_threads(arrays: Arrays, combine: Callable[[Arrays, Arrays], Arrays], axis: int, threads: int) -> Arrays:
    """Reduce over an axis as `threads` of a GPU do: each what it holds in turn, and then those that are half of them
    apart, a quarter, and so on. That takes a `combine` that is associative and commutative."""
    runs = arrays[0].shape[axis] // threads
    if runs > 1 and arrays[0].shape[axis] == runs * threads:
        total: Arrays = [a[_part(axis, 0, None, runs)] for a in arrays]
        for step in range(1, runs):
            total = combine(total, [a[_part(axis, step, None, runs)] for a in arrays])
        arrays = total
    while (size := arrays[0].shape[axis]) > 1:
        half, rest = size // 2, _part(axis, size // 2 * 2, None)
        near, far = _part(axis, 0, half), _part(axis, half, 2 * half)
        folded = combine([a[near] for a in arrays], [a[far] for a in arrays])
        if size % 2:
            folded = [np.concatenate([f, a[rest]], axis) for f, a in zip(folded, arrays, strict=True)]
        arrays = folded
    return [a.squeeze(axis) for a in arrays]


def scan(arrays: Arrays, combine: Callable[[Arrays, Arrays], Arrays], axis: int) -> Arrays:
    """Inclusive prefixes along an axis by an associative `combine` of (left, right), in log2(n) steps.

    Every call of `combine` gets arrays of full size; what it makes of the first `step` places is dropped.
    """
    step = 1
    while step < arrays[0].shape[axis]:
        joined = combine([np.roll(a, step, axis) for a in arrays], arrays)
        kept, new = _part(axis, None, step), _part(axis, step, None)
        arrays = [np.concatenate([a[kept], j[new]], axis) for a, j in zip(arrays, joined, strict=True)]
        step *= 2
    return arrays
