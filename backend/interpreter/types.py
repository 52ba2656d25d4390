"""Cheaper construction of Triton's types and tensors while the language is patched.

Triton makes a block type for nearly every operation, and unwraps, validates and formats its shape anew each time; in an
interpreter that costs more than the arithmetic. Here each kind of object is made once by Triton's own constructor, and
later ones copy what it found. Shapes are never changed in place.
"""

from collections.abc import Callable, Iterator
from typing import Any

import triton.language as tl

_block_init = tl.core.block_type.__init__
_tensor_init = tl.core.tensor.__init__
_tuple_equal = tl.core.tuple.__eq__
_TRUTH = {value: tl.core.constexpr(value) for value in (False, True)}

_blocks: dict[Any, dict[str, Any]] = {}
_tensors: dict[Any, dict[str, Any]] = {}


def changes() -> Iterator[tuple[Any, str, Callable[..., Any]]]:
    """What to set on which class."""
    yield tl.core.block_type, "__init__", _quick_block
    yield tl.core.tensor, "__init__", _quick_tensor
    yield tl.core.tuple, "__eq__", _quick_equal


def _quick_block(self: Any, element_ty: Any, shape: Any) -> None:
    sizes = tuple([size.value if isinstance(size, tl.core.constexpr) else size for size in shape])
    key = (element_ty.name, sizes)
    known = _blocks.get(key)
    if known is None or type(shape) not in _SEQUENCES or not {*map(type, sizes)} <= {int}:
        _block_init(self, element_ty, shape)
        _blocks[key] = dict(vars(self))
        return
    vars(self).update(known)
    self.element_ty = element_ty


def _quick_tensor(self: Any, handle: Any, type: Any) -> None:
    key = tuple(type.shape.values) if type.is_block() and isinstance(type.shape, tl.core.tuple) else None
    if key is None and type.is_block():
        _tensor_init(self, handle, type)
        return
    known = _tensors.get(key)
    if known is None:
        _tensor_init(self, handle, type)
        _tensors[key] = dict(vars(self), handle=None)
        return
    vars(self).update(known)
    self.handle, self.type, self.dtype = handle, type, type.scalar


def _quick_equal(self: Any, other: Any) -> Any:
    values = other.values if isinstance(other, tl.core.tuple) else other
    if isinstance(values, list) and {*map(type, values)} <= {int}:
        return _TRUTH[self.values == values]
    return _tuple_equal(self, other)


_SEQUENCES = (list, tl.core.tuple)
