"""What a kernel tells the compiler of its values, held against the values.

The compiler believes it and loads several elements from the first one's address: where it is false, a GPU gives other
elements or fails.
"""

from typing import Any

import numpy as np
import triton.language as tl
from numpy.typing import NDArray


def multiple_of(input: Any, values: Any) -> Any:
    """`tl.multiple_of`. Of values that count up along an axis it speaks of the first one. Raises ValueError."""
    data, step = _numbers(input)
    firsts = np.ones(data.shape, np.bool_)
    for axis in range(1, data.ndim):
        firsts[_from(axis, 1, data.ndim)] &= np.diff(data, axis=axis) != step
    for value in _each(values):
        _refuse(firsts & (data % value != 0), data, f"tl.multiple_of says that values are multiples of {value}")
    return input


def max_contiguous(input: Any, values: Any) -> Any:
    """`tl.max_contiguous`: so many values in a row count up. They may start again from 0, where indices go around.
    Raises ValueError."""
    data, step = _numbers(input)
    for axis, value in enumerate(_each(values), start=1):
        if axis < data.ndim:
            later = data[_from(axis, 1, data.ndim)]
            wrong = (np.diff(data, axis=axis) != step) & (later != 0) & _inside(axis, value, data)
            _refuse(wrong, later, f"tl.max_contiguous says that {value} values in a row count up")
    return input


def max_constancy(input: Any, values: Any) -> Any:
    """`tl.max_constancy`: so many values in a row are equal. Raises ValueError."""
    data, _ = _numbers(input)
    for axis, value in enumerate(_each(values), start=1):
        if axis < data.ndim:
            wrong = (np.diff(data, axis=axis) != 0) & _inside(axis, value, data)
            message = f"tl.max_constancy says that {value} values in a row are equal"
            _refuse(wrong, data[_from(axis, 1, data.ndim)], message)
    return input


def assume(condition: Any) -> None:
    """`tl.assume`; raises ValueError where it does not hold."""
    holds = condition.handle.data if isinstance(condition, tl.tensor) else _plain(condition)
    if not np.all(holds):
        raise ValueError("tl.assume is told what does not hold")


def _numbers(tensor: Any) -> tuple[NDArray[Any], int]:
    """A tensor's integers, programs first, and by how much they differ if they count up: of pointers, bytes."""
    if not isinstance(tensor, tl.tensor):
        return np.atleast_1d(np.asarray(_plain(tensor))), 1
    kind = tensor.dtype.scalar
    step = max(1, kind.element_ty.primitive_bitwidth // 8) if isinstance(kind, tl.pointer_type) else 1
    return tensor.handle.data.astype(np.int64), step


def _each(values: Any) -> list[int]:
    values = _plain(values)
    return [int(_plain(value)) for value in values] if isinstance(values, list | tuple | tl.tuple) else [int(values)]


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, tl.constexpr) else value


def _from(axis: int, start: int, rank: int) -> tuple[slice, ...]:
    return (*(slice(None),) * axis, slice(start, None), *(slice(None),) * (rank - axis - 1))


def _inside(axis: int, value: int, data: NDArray[Any]) -> NDArray[np.bool_]:
    """Which differences along an axis are between values of one group."""
    inside: NDArray[np.bool_] = np.arange(1, data.shape[axis]) % max(value, 1) != 0
    return inside.reshape(-1, *(1,) * (data.ndim - axis - 1))


def _refuse(wrong: NDArray[np.bool_], data: NDArray[Any], message: str) -> None:
    if wrong.any():
        raise ValueError(f"{message}, and one is {int(data[wrong][0])}")
