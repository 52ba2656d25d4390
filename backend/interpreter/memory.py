"""Tensors at virtual addresses, so that a pointer's owner survives any arithmetic and no access goes astray."""

import functools
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from kernelwright.backend.interpreter.addresses import Addresses, nearest
from kernelwright.backend.interpreter.batched_journal import Journal
from kernelwright.backend.interpreter.races import Races
from kernelwright.backend.interpreter.regions import Lanes
from kernelwright.backend.interpreter.waiting import Watch

#: Each tensor argument owns a window of 2^40 bytes and stands in its middle.
_WINDOW_BITS = 40
_MIDDLE = 1 << (_WINDOW_BITS - 1)

Array = NDArray[np.generic]
#: Called with tensor, element offset, access, extent in elements, message; raises.
Fault = Callable[[str, int, str, tuple[int, int], str, bool], NoReturn]


def storage_bytes(tensor: Tensor) -> NDArray[np.uint8]:
    """The bytes of a CPU tensor's whole storage, shared with it."""
    flat = torch.empty(0, dtype=torch.uint8).set_(tensor.untyped_storage())
    array: NDArray[np.uint8] = flat.numpy()
    return array


@dataclass(frozen=True)
class Buffer:
    """One tensor argument: its storage's bytes, where its first element stands in them, and its window."""

    name: str
    data: NDArray[np.uint8]
    start: int
    itemsize: int
    origin: int
    storage: int
    written: NDArray[np.bool_] | None = None

    @property
    def address(self) -> int:
        """The virtual address of the tensor's first element."""
        return self.origin + self.start

    def offset(self, byte: int) -> int:
        """Element offset, relative to the tensor's first element, of a byte of the storage (rounded down)."""
        return (byte - self.start) // self.itemsize

    @property
    def extent(self) -> tuple[int, int]:
        """Legal element offsets [low, high)."""
        return self.offset(0), self.offset(self.data.size)


@dataclass(frozen=True)
class Part:
    """The lanes of one access that fall into one buffer: typed storage, element index and lane number of each."""

    buffer: Buffer
    items: Array
    index: NDArray[np.int64]
    lanes: NDArray[np.int64] | None


class AddressSpace:
    """The tensors of one launch. `fault` raises for an access that no tensor allows.

    Arrays of pointers, masks and values have the programs as first axis, or 1 where all programs have the same.
    `programs` are the numbers of those that run; a batch of several keeps a `journal`. `races` tells stores that meet.
    """

    def __init__(self, fault: Fault, races: Races | None = None) -> None:
        self._buffers: list[Buffer] = []
        self._fault = fault
        self.programs: NDArray[np.int32] = np.zeros(1, np.int32)
        self.journal: Journal | None = None
        self.races = races
        #: Not 0: atomics come in another order, of programs and of lanes, and reductions join what threads would.
        self.turned = 0
        #: Whether lanes that are off hold zeros where a load names no `other`.
        self.zeros = False
        #: What a kernel sees that makes integers of pointers; None: the virtual addresses.
        self.addresses: Addresses | None = None
        #: What tells that a loop waits, in kernels with loops that may.
        self.watch: Watch | None = None
        #: What lets other programs go on after an atomic whose old values are used.
        self.pause: Callable[[], None] | None = None

    def add(self, name: str, tensor: Tensor, written: NDArray[np.bool_] | None = None) -> int:
        """Map a CPU tensor; its virtual address. `written` marks bytes of its storage that have a value."""
        origin = self.window(len(self._buffers))
        size = tensor.element_size()
        start, storage = int(tensor.storage_offset()) * size, tensor.untyped_storage().data_ptr()
        buffer = Buffer(name, storage_bytes(tensor), start, size, origin, storage, written)
        self._buffers.append(buffer)
        if self.addresses is not None:
            self.addresses.place(storage, buffer.data.size)
        return buffer.address

    @staticmethod
    def window(number: int) -> int:
        """The address that a tensor's storage begins at, by the tensor's number."""
        return ((number + 1) << _WINDOW_BITS) | _MIDDLE

    @staticmethod
    def owners(pointers: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The numbers of the tensors that pointers were made of."""
        return (pointers >> np.uint64(_WINDOW_BITS)).astype(np.int64) - 1

    def seen(self, pointers: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """The integers that a kernel makes of pointers."""
        if self.addresses is None:
            return pointers
        result, owners = pointers.copy(), self.owners(pointers)
        for number in np.unique(owners[(owners >= 0) & (owners < len(self._buffers))]).tolist():
            chosen, buffer = owners == number, self._buffers[number]
            place = self.addresses.place(buffer.storage, buffer.data.size)
            result[chosen] = pointers[chosen] - np.uint64(buffer.origin) + np.uint64(place)
        return result

    def meant(self, numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """The pointers that a kernel makes of integers: of the tensor at that address, else of the one below."""
        if self.addresses is None or not self._buffers:
            return numbers
        places = [(self.addresses.place(one.storage, one.data.size), one.origin) for one in self._buffers]
        places.sort()
        starts = [place for place, _ in places]
        apart, which = np.unique(numbers, return_inverse=True)
        pointers = []
        for number in apart.tolist():
            place, origin = places[nearest(starts, number)]
            pointers.append((number - place + origin) % (1 << 64) if number else 0)
        return np.array(pointers, np.uint64)[which].reshape(numbers.shape)

    @property
    def tangled(self) -> bool:
        """Whether two storages share bytes, so that a journal by storage would miss something."""
        ranges = sorted({(buffer.storage, buffer.data.size) for buffer in self._buffers if buffer.data.size})
        return any(a + size > b for (a, size), (b, _) in itertools.pairwise(ranges))

    def parts(
        self, pointers: NDArray[np.uint64], mask: NDArray[np.bool_] | None, dtype: np.dtype, access: str
    ) -> Iterator[Part]:
        """Split an access by the buffers it touches; every active lane is checked before the first part."""
        flat = pointers.reshape(-1)
        lanes = None
        if mask is not None:
            active = mask.reshape(-1)
            if not active.all():
                lanes = np.flatnonzero(active)
                flat = flat[lanes]
        if not flat.size:
            return
        buffer = self._owner(int(flat[0]))
        if buffer is not None:
            byte = (flat - np.uint64(buffer.origin)).view(np.int64)
            if byte.min() >= 0 and byte.max() + dtype.itemsize <= buffer.data.size:
                yield self._part(buffer, byte, lanes, dtype, access)
                return
        yield from self._scattered(flat, lanes, dtype, access)

    def _owner(self, address: int) -> Buffer | None:
        window = (address >> _WINDOW_BITS) - 1
        return self._buffers[window] if 0 <= window < len(self._buffers) else None

    def _scattered(
        self, flat: NDArray[np.uint64], lanes: NDArray[np.int64] | None, dtype: np.dtype, access: str
    ) -> list[Part]:
        """Lanes in several buffers, or out of bounds."""
        numbers = np.arange(flat.size) if lanes is None else lanes
        windows = flat >> np.uint64(_WINDOW_BITS)
        parts = []
        for window in np.unique(windows):
            chosen = windows == window
            addresses = flat[chosen]
            buffer = self._owner(int(addresses[0]))
            if buffer is None:
                self._fault("", 0, access, (0, 0), "through a pointer that belongs to no tensor argument", False)
            byte = (addresses - np.uint64(buffer.origin)).view(np.int64)
            bad = (byte < 0) | (byte + dtype.itemsize > buffer.data.size)
            if bad.any():
                self._refuse(buffer, int(byte[np.argmax(bad)]), access, "out of bounds")
            parts.append(self._part(buffer, byte, numbers[chosen], dtype, access))
        return parts

    def _part(
        self,
        buffer: Buffer,
        byte: NDArray[np.int64],
        lanes: NDArray[np.int64] | None,
        dtype: np.dtype,
        access: str,
    ) -> Part:
        size = dtype.itemsize
        if size > 1 and int(np.bitwise_or.reduce(byte)) & (size - 1):
            self._refuse(buffer, int(byte[np.argmax((byte & (size - 1)) != 0)]), access, f"not aligned to {size} bytes")
        index = byte >> (size.bit_length() - 1)
        whole = buffer.data.size // size * size
        if buffer.written is not None:
            self._note(buffer, byte, buffer.written[:whole].view(f"u{size}"), index, access)
        return Part(buffer, buffer.data[:whole].view(dtype), index, lanes)

    def _note(
        self, buffer: Buffer, byte: NDArray[np.int64], written: Array, index: NDArray[np.int64], access: str
    ) -> None:
        assert buffer.written is not None
        if not access.endswith("store"):
            unset = ~buffer.written[byte]
            if unset.any():
                offset = buffer.offset(int(byte[np.argmax(unset)]))
                message = f"{access} of {buffer.name}[{offset}], which nothing has written"
                self._fault(buffer.name, offset, access, buffer.extent, message, True)
        if access != "load":
            if self.journal is not None:
                self.journal.keep(written, index)
            written[index] = np.frombuffer(b"\1" * written.itemsize, written.dtype)[0]

    def _refuse(self, buffer: Buffer, byte: int, access: str, why: str) -> NoReturn:
        offset, (low, high) = buffer.offset(byte), buffer.extent
        message = f"{access} {why} at {buffer.name}[{offset}]; its storage holds elements {low} to {high - 1}"
        self._fault(buffer.name, offset, access, buffer.extent, message, False)

    def load(
        self,
        pointers: NDArray[np.uint64],
        mask: NDArray[np.bool_] | None,
        other: Array | None,
        dtype: np.dtype,
        volatile: bool = False,
    ) -> Array:
        """Gather; lanes that are off give `other`, or zero."""
        if mask is not None:
            pointers, mask, other = _together(pointers, mask, other)
        result: Array | None = None
        for part in self.parts(pointers, mask, dtype, "load"):
            if self.journal is not None:
                who = self._who(part.lanes, pointers.shape)
                self.journal.loaded(part.buffer.storage, part.items, part.index, who)
            if self.races is not None:
                lanes = self._lanes(part.lanes, pointers.shape)
                met = self.races.loaded(part.buffer.storage, part.items, part.index, lanes, volatile)
                self._refuse_race(part, "load", met)
            values = part.items[part.index]
            if self.watch is not None:
                self.watch.found(pointers, values)
            if part.lanes is None:
                return values.reshape(pointers.shape)
            result = _filled(pointers.shape, other, dtype) if result is None else result
            result.reshape(-1)[part.lanes] = values
        return _filled(pointers.shape, other, dtype) if result is None else result

    def store(self, pointers: NDArray[np.uint64], mask: NDArray[np.bool_] | None, value: Array) -> None:
        """Scatter; of lanes with one address the last wins."""
        pointers, mask, value = self._each(pointers, mask, value)
        values = value.reshape(-1)
        if self.watch is not None:
            self.watch.changed()
        for part in self.parts(pointers, mask, value.dtype, "store"):
            if self.journal is not None:
                who = self._who(part.lanes, pointers.shape)
                self.journal.stored(part.buffer.storage, part.items, part.index, who)
            stored = values if part.lanes is None else values[part.lanes]
            if self.races is None:
                part.items[part.index] = stored
                continue
            lanes = self._lanes(part.lanes, pointers.shape)
            met = self.races.store(part.buffer.storage, part.items, part.index, stored, lanes)
            self._refuse_race(part, "store", met)

    def _refuse_race(self, part: Part, access: str, met: tuple[int, str] | None) -> None:
        if met is None:
            return
        lane, why = met
        buffer = part.buffer
        offset = buffer.offset(int(part.index[lane]) * part.items.itemsize)
        words = {"load": "load of", "store": "store to", "atomic": "atomic on"}
        message = f"{words[access]} {buffer.name}[{offset}], {why}"
        self._fault(buffer.name, offset, access, buffer.extent, message, False)

    def update(
        self,
        pointers: NDArray[np.uint64],
        mask: NDArray[np.bool_] | None,
        value: Array,
        combine: Callable[[Array, Array], Array],
        acquire: bool = True,
        release: bool = True,
        narrow: bool = False,
        reads: bool = True,
    ) -> Array:
        """Atomic read-modify-write, lane by lane where addresses repeat; gives the old values (off lanes: 0).

        `acquire` and `release` say how it orders what programs do before and after it, `reads` whether the result
        depends on the old values, so that something must have written them; `narrow`: it is atomic within a program
        alone.
        """
        pointers, mask, value = self._each(pointers, mask, value)
        values = value.reshape(-1)
        old = np.zeros(pointers.size, dtype=value.dtype)
        for part in self.parts(pointers, mask, value.dtype, "atomic" if reads else "atomic store"):
            if self.journal is not None:
                self.journal.updated(part.buffer.storage, part.items, part.index)
            if self.races is not None:
                who = self._lanes(part.lanes, pointers.shape)
                order = acquire, release, narrow
                met = self.races.update(part.buffer.storage, part.items, part.index, who, *order)
                self._refuse_race(part, "atomic", met)
            lanes = np.arange(pointers.size) if part.lanes is None else part.lanes
            way = slice(None, None, -1 if self.turned else 1)
            ordered, numbered = part.index[way], lanes[way]
            for turn in _turns(ordered):
                index, chosen = ordered[turn], numbered[turn]
                before = old[chosen] = part.items[index]
                after = part.items[index] = combine(before, values[chosen])
                if self.watch is not None and (before != after).any():
                    self.watch.changed()
        if self.watch is not None:
            self.watch.found(pointers, old)
        if self.pause is not None and reads:
            self.pause()
        return old.reshape(pointers.shape)

    def _each(
        self, pointers: NDArray[np.uint64], mask: NDArray[np.bool_] | None, value: Array
    ) -> tuple[NDArray[np.uint64], NDArray[np.bool_] | None, Array]:
        """An access that every program makes for itself, also where all make the same."""
        shape = (self.programs.size, *pointers.shape[1:])
        off = None if mask is None else np.broadcast_to(mask, shape)
        return np.broadcast_to(pointers, shape), off, np.broadcast_to(value, shape)

    def barrier(self) -> None:
        """All threads of each program have come to this point."""
        if self.races is not None:
            self.races.barrier()

    def saved(self) -> tuple[NDArray[np.int32], int]:
        """Which program runs, and after which of its barriers."""
        return self.programs, 0 if self.races is None else self.races.moment

    def restored(self, state: tuple[NDArray[np.int32], int]) -> None:
        """That program goes on."""
        self.programs, moment = state
        if self.races is not None:
            self.races.moment = moment

    def _lanes(self, lanes: NDArray[np.int64] | None, shape: tuple[int, ...]) -> Lanes:
        places = functools.partial(_places, lanes, shape)
        return Lanes(functools.cache(self._who(lanes, shape)), functools.cache(places))

    def _who(self, lanes: NDArray[np.int64] | None, shape: tuple[int, ...]) -> Callable[[], NDArray[np.int32] | None]:
        return functools.partial(_numbers, self.programs, lanes, shape)


def _numbers(
    programs: NDArray[np.int32], lanes: NDArray[np.int64] | None, shape: tuple[int, ...]
) -> NDArray[np.int32] | None:
    """The program number of each lane of an access of that shape; None where it is every program's."""
    if shape[0] != programs.size:
        return None
    each = math.prod(shape[1:])
    return np.repeat(programs, each) if lanes is None else programs[lanes // each]


def _places(lanes: NDArray[np.int64] | None, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Each lane's place in the block that its program accesses, and how large that is: what tells its thread."""
    each = math.prod(shape[1:])
    numbers = np.arange(shape[0] * each) if lanes is None else lanes
    return numbers % each + (each << 32)


def _together(
    pointers: NDArray[np.uint64], mask: NDArray[np.bool_], other: Array | None
) -> tuple[NDArray[np.uint64], NDArray[np.bool_], Array | None]:
    """Pointers and mask over the same programs, which include those of `other`."""
    count = max(array.shape[0] for array in (pointers, mask, other) if array is not None)
    shape = (count, *pointers.shape[1:])
    return np.broadcast_to(pointers, shape), np.broadcast_to(mask, shape), other


def _filled(shape: tuple[int, ...], other: Array | None, dtype: np.dtype) -> Array:
    if other is None:
        return np.zeros(shape, dtype)
    result = np.empty(shape, dtype)
    result[...] = other
    return result


def _turns(index: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Lanes in turns: within a turn no address repeats, and lanes of one address keep their order."""
    order = np.argsort(index, kind="stable")
    ordered = index[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    turn = np.arange(index.size) - np.repeat(starts, np.diff(np.r_[starts, index.size]))
    lanes = order[np.lexsort((order, turn))]
    ends = np.cumsum(np.bincount(turn))
    for begin, end in zip(np.r_[0, ends[:-1]], ends, strict=True):
        yield lanes[begin:end]
