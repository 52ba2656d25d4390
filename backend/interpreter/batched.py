"""The builder that runs many programs of a grid at once: every value's first axis counts programs.

That axis has length 1 where all programs have the same value. So a scalar is an array of one axis, and a block of rank
n one of n + 1. A single program is a batch of one; there is no other way of running.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import triton.language as tl
from numpy.typing import NDArray

from kernelwright.backend.interpreter.batched_signals import Divergence, Meeting, TooLarge
from kernelwright.backend.interpreter.guarded import GuardedBuilder, Handle, is_narrow, np_dtype

#: Elements of one value over all programs; bounds memory, and keeps values in the caches.
MOST_ELEMENTS = 1 << 18


@dataclass(frozen=True)
class _BlockPointer:
    """What `tl.make_block_ptr` makes in Triton 3.6 and 3.7; 3.8 builds such pointers of others, 3.9 has none."""

    base: Any
    shape: Sequence[Any]
    strides: Sequence[Any]
    offsets: Sequence[Any]
    block_shape: Sequence[int]


@dataclass(frozen=True)
class _Descriptor:
    """What `tl.make_tensor_descriptor` makes."""

    base: Any
    shape: Sequence[Any]
    strides: Sequence[Any]
    block_shape: Sequence[int]
    padding: Any


class BatchedBuilder(GuardedBuilder):
    """Shapes, positions and memory for the programs whose numbers `memory` holds."""

    def __init__(self) -> None:
        super().__init__()
        self.grid_dim: tuple[int, int, int] = (1, 1, 1)

    @property
    def programs(self) -> NDArray[np.int32]:
        """The numbers of the programs that run, first grid axis fastest."""
        return self.memory.programs if self.memory is not None else np.zeros(1, np.int32)

    @property
    def grid_idx(self) -> tuple[int, int, int]:
        """The position of the first of them."""
        first = int(self.programs[0])
        columns, rows, _ = self.grid_dim
        return first % columns, first // columns % rows, first // (columns * rows)

    def agreed(self, data: NDArray[Any]) -> Any:
        """The value that every program has of a scalar or a block of one element; raises Divergence."""
        values = data.reshape(-1)
        if values.size > 1 and not (values == values[0]).all():
            raise Divergence(values)
        return values[0].item()

    def _shape(self, shape: Any, handle: Any) -> tuple[int, ...]:
        """A block's shape over the programs of that handle; raises TooLarge where it has too many elements."""
        block = tuple(int(size) for size in shape)
        elements, count = math.prod(block), self.programs.size
        if count > 1 and elements * count > MOST_ELEMENTS:
            raise TooLarge(min(MOST_ELEMENTS // elements, count - 1))
        return handle.data.shape[0], *block

    # positions

    def create_get_program_id(self, axis: int) -> Any:
        columns, rows, _ = self.grid_dim
        position = self.programs // (1, columns, columns * rows)[axis]
        return Handle((position % self.grid_dim[axis]).astype(np.int32), tl.int32)

    def create_make_range(self, _type: Any, start: int, stop: int) -> Any:
        result = Handle(np.arange(start, stop, dtype=np.int32)[None], tl.int32)
        self._shape((stop - start,), result)
        return result

    # shapes

    def create_reshape(self, arg: Any, shape: Any, _allow_reorder: bool) -> Any:
        return Handle(arg.data.reshape(self._shape(shape, arg)), arg.dtype.scalar)

    def create_trans(self, arg: Any, perm: Any) -> Any:
        return Handle(np.transpose(arg.data, (0, *(int(axis) + 1 for axis in perm))), arg.dtype.scalar)

    def create_expand_dims(self, arg: Any, axis: int) -> Any:
        return Handle(np.expand_dims(arg.data, axis + 1), arg.dtype.scalar)

    def create_broadcast(self, arg: Any, shape: Any) -> Any:
        return Handle(np.broadcast_to(arg.data, self._shape(shape, arg)), arg.dtype.scalar)

    def create_splat(self, ret_type: Any, arg: Any) -> Any:
        shape = self._shape(ret_type.shape, arg)
        scalars = arg.data.reshape(-1, *(1,) * (len(shape) - 1))
        return Handle(np.broadcast_to(scalars, shape), arg.dtype.scalar)

    def create_unsplat(self, arg: Any) -> Any:
        return Handle(arg.data.reshape(arg.data.shape[0], -1)[:, 0], arg.dtype.scalar)

    def create_cat(self, lhs: Any, rhs: Any) -> Any:
        return Handle(np.concatenate(_level(lhs.data, rhs.data), axis=1), lhs.dtype.scalar)

    def create_join(self, lhs: Any, rhs: Any) -> Any:
        return Handle(np.stack(_level(lhs.data, rhs.data), axis=-1), lhs.dtype.scalar)

    def create_gather(self, src: Any, indices: Any, axis: int) -> Any:
        source, index = _level(src.data, indices.data)
        return Handle(np.take_along_axis(source, index, axis=axis + 1), src.dtype.scalar)

    def create_histogram(self, data: Any, bins: int, mask: Any) -> Any:
        (values,) = _level(data.data) if mask is None else _level(data.data, mask.data)[:1]
        inside = (values >= 0) & (values < bins)
        if mask is not None:
            inside = inside & mask.data
        count = values.shape[0]
        places = (np.arange(count)[:, None] * bins + values)[inside]
        return Handle(np.bincount(places, minlength=count * bins).astype(np.int32).reshape(count, bins), tl.int32)

    # memory

    def create_atomic_rmw(self, op: Any, ptr: Any, val: Any, mask: Any, *order: Any) -> Any:
        if self.programs.size > 1 and self.memory is not None and (self.memory.turned or is_narrow(order)):
            raise Meeting
        return super().create_atomic_rmw(op, ptr, val, mask, *order)

    def create_atomic_cas(self, ptr: Any, cmp: Any, val: Any, *order: Any) -> Any:
        if self.programs.size > 1:
            raise Meeting
        return super().create_atomic_cas(ptr, cmp, val, *order)

    def create_make_block_ptr(
        self, base: Any, shape: Any, strides: Any, offsets: Any, block_shape: Any, _order: Any
    ) -> _BlockPointer:
        return _BlockPointer(base, shape, strides, offsets, block_shape)

    def create_tensor_pointer_load(self, ptr: Any, boundary_check: Any, padding: Any, *_hints: Any) -> Any:
        self._shape(ptr.block_shape, ptr.base)
        pointers, mask = _window(ptr.base, ptr.shape, ptr.strides, ptr.offsets, ptr.block_shape, boundary_check)
        return self.load_padded(pointers, mask, padding)

    def create_tensor_pointer_store(self, ptr: Any, value: Any, boundary_check: Any, *_hints: Any) -> None:
        pointers, mask = _window(ptr.base, ptr.shape, ptr.strides, ptr.offsets, ptr.block_shape, boundary_check)
        self.create_masked_store(pointers, value, mask)

    def create_advance(self, ptr: _BlockPointer, offsets: Sequence[Any]) -> _BlockPointer:
        if len(ptr.offsets) != len(offsets):
            raise ValueError("len(ptr.offsets) != len(offsets)")
        moved = [Handle(old.data + new.data, old.dtype) for old, new in zip(ptr.offsets, offsets, strict=True)]
        return replace(ptr, offsets=moved)

    # tensor descriptors

    def create_make_tensor_descriptor(
        self, base: Any, shape: Any, strides: Any, block_shape: Any, _is_signed: bool, padding: Any = None
    ) -> _Descriptor:
        size = np_dtype(base.dtype.element_ty).itemsize
        assert not (base.data % 16).any(), "base must be 16-byte aligned"
        assert not any((stride.data * size % 16).any() for stride in strides[:-1]), "stride must be 16-byte aligned"
        assert (strides[-1].data == 1).all(), "last dim must be contiguous"
        return _Descriptor(base, shape, strides, block_shape, padding)

    def create_descriptor_load(self, desc: Any, indices: Sequence[Any], *_hints: Any) -> Any:
        pointers, mask = self._described(desc, indices)
        return self.load_padded(pointers, mask, desc.padding)

    def create_descriptor_store(self, desc: Any, value: Any, indices: Sequence[Any]) -> None:
        pointers, mask = self._described(desc, indices)
        self.create_masked_store(pointers, value, mask)

    def create_descriptor_gather(self, desc: Any, x_offsets: Any, y_offset: Any, _type: Any) -> Any:
        rows = [self.create_descriptor_load(desc, [row, y_offset]) for row in _rows(x_offsets)]
        return Handle(np.concatenate([row.data for row in rows], axis=1), rows[0].dtype)

    def create_descriptor_scatter(self, desc: Any, value: Any, x_offsets: Any, y_offset: Any) -> None:
        for number, row in enumerate(_rows(x_offsets)):
            part = Handle(value.data[:, number : number + 1], value.dtype)
            self.create_descriptor_store(desc, part, [row, y_offset])

    def _described(self, desc: Any, indices: Sequence[Any]) -> tuple[Any, Any]:
        assert len(indices) == len(desc.block_shape)
        size = np_dtype(desc.base.dtype.element_ty).itemsize
        assert not (indices[-1].data * size % 16).any(), "block offset start must be 16-byte aligned"
        self._shape(desc.block_shape, desc.base)
        return _window(desc.base, desc.shape, desc.strides, indices, desc.block_shape, range(len(desc.block_shape)))


def _level(*arrays: NDArray[Any]) -> list[NDArray[Any]]:
    """The same arrays over the same programs."""
    count = max(array.shape[0] for array in arrays)
    return [np.broadcast_to(array, (count, *array.shape[1:])) for array in arrays]


def _rows(offsets: Any) -> list[Any]:
    """A block of one axis as scalars."""
    return [Handle(offsets.data[:, number], offsets.dtype) for number in range(offsets.data.shape[1])]


def _window(
    base: Any, shape: Sequence[Any], strides: Sequence[Any], offsets: Sequence[Any], block: Sequence[int], checked: Any
) -> tuple[Any, Any]:
    """Pointers to a block of a strided tensor, and which of them lie inside along the `checked` axes (None: all)."""
    rank = len(block)
    size = np_dtype(base.get_element_ty()).itemsize
    pointers = base.data.reshape(-1, *(1,) * rank)
    mask: Any = True
    for axis in range(rank):
        along = [1] * rank
        along[axis] = block[axis]
        scalar = (-1, *(1,) * rank)
        offset = offsets[axis].data.reshape(scalar) + np.arange(block[axis]).reshape(1, *along)
        pointers = pointers + (size * offset * strides[axis].data.reshape(scalar)).astype(np.uint64)
        if axis in checked:
            mask = mask & (offset < shape[axis].data.reshape(scalar)) & (offset >= 0)
    return Handle(pointers, base.dtype.scalar), None if mask is True else Handle(mask, tl.int1)
