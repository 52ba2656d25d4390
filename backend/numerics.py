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


def _torch(function: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[Array], Array]:
    def apply(values: Array) -> Array:
        result: Array = function(torch.from_numpy(np.array(values))).numpy()
        return result

    return apply


def _round_away(values: Array) -> Array:
    result: Array = np.copysign(np.floor(np.abs(values) + values.dtype.type(0.5)), values)
    return result


erf = _torch(torch.erf)

#: libdevice's names, without `__nv_` and the type suffix.
LIBDEVICE: Mapping[str, Callable[..., Array]] = {
    **{name: getattr(np, name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "exp2", "expm1")},
    **{name: getattr(np, name) for name in ("log", "log2", "log10", "log1p", "sqrt", "cbrt", "floor", "ceil")},
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
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "nearbyint": np.rint,
    "round": _round_away,
    "fdim": lambda x, y: np.maximum(x - y, 0),
    "fma": lambda x, y, z: x * y + z,
    "isnan": lambda x: np.isnan(x).astype(np.int32),
    "isinf": lambda x: np.isinf(x).astype(np.int32),
    "isfinite": lambda x: np.isfinite(x).astype(np.int32),
    "finite": lambda x: np.isfinite(x).astype(np.int32),
    "signbit": lambda x: np.signbit(x).astype(np.int32),
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
