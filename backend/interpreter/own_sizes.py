"""Whether the places that kernels access fit in 32 bits at sizes that no machine here has memory for.

Host code runs on meta tensors. Of each launch a few programs run in memory that holds nothing: loads give zeros, and
only addresses count. An access out of bounds is held against a kernel where the same access would be in bounds, or
masked, if integers of 32 bits had more: whatever else it read, the kernel overflows.
"""

import functools
import itertools
import math
import random
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from kernelwright.backend.interpreter.loops import may_skip
from kernelwright.backend.interpreter.memory import AddressSpace, Fault
from kernelwright.backend.interpreter.runtime import HostMode, InterpreterRuntime, patched_language, raise_access
from kernelwright.backend.launch.binding import BoundLaunch, Grid, KernelHandle
from kernelwright.backend.launch.execute import load_module, meta_arguments
from kernelwright.backend.launch.faults import AccessError, KernelFault
from kernelwright.ir.values import KernelModule

if TYPE_CHECKING:
    from kernelwright.backend.interpreter.grid import Body

#: Launches all of whose tensors have fewer elements are left out: no offset gets near to 2^31.
LEAST_ELEMENTS = 1 << 30
#: Programs of a launch that run, beside those at the corners of its grid.
_SPREAD = 17
#: Rounds at the beginning and the end of a long loop that run, and those spread between them.
_ENDS, _BETWEEN = 2, 14
#: Accesses that one program, and all programs together, may make.
_EACH, _ALL = 1500, 20_000
_WIDEN = "widen an operand first, as in `row.to(tl.int64) * stride`"


class OwnSizesRuntime(InterpreterRuntime):
    """Runs host code on meta tensors, and a few programs of each launch for their addresses. Raises AccessError."""

    def __init__(self) -> None:
        super().__init__()
        self.device = torch.device("meta")
        self._left = _ALL

    def host_mode(self) -> Any:
        """Host code sees CUDA and gets meta tensors."""
        return HostMode(self)

    def _launch(self, handle: KernelHandle, bound: BoundLaunch) -> None:
        tensors = [value for value in bound.arguments.values() if isinstance(value, Tensor)]
        sizes = [tensor.untyped_storage().nbytes() // tensor.element_size() for tensor in tensors]
        if max(sizes, default=0) < LEAST_ELEMENTS:
            return
        for number in _programs(bound.grid):
            if self._left <= 0:
                return
            memory = self._memory(handle)
            failed = self._run(handle, bound, memory, number)
            self._left -= memory.made
            if memory.met is not None and failed is not None:
                self._compare(handle, bound, number, memory, failed)

    def _compare(
        self, handle: KernelHandle, bound: BoundLaunch, number: int, memory: "_Absent", failed: AccessError
    ) -> None:
        """Raise where an access that was out of bounds is not so in exact arithmetic."""
        exact = self._memory(handle, memory.made)
        place = self._run(handle, bound, exact, number, exact=True)
        one, other = memory.met, exact.met
        if one is None or other is None or place is None or one.places.shape != other.places.shape:
            return
        if (place.place, place.access) != (failed.place, failed.access):
            return
        lanes = np.flatnonzero(one.is_outside & (one.owners == other.owners) & ~other.is_outside)
        if not lanes.size:
            return
        lane = int(lanes[0])
        buffer = memory.tensors[int(one.owners[lane])]
        meant = str(buffer.offset(int(other.places[lane])))
        meant += "" if other.on[lane] else ", where the mask is off"
        offset = buffer.offset(int(one.places[lane]))
        message = f"an integer of 32 bits overflows: offset {offset} of {buffer.name} is {meant} in 64 bits; {_WIDEN}"
        found = AccessError(failed.place, buffer.name, offset, failed.access, buffer.extent, message)
        found.add_note(f"in 64 bits it is {meant}: an integer of 32 bits overflows; {_WIDEN}")
        raise found

    def _memory(self, handle: KernelHandle, until: int = 0) -> "_Absent":
        return _Absent(functools.partial(raise_access, handle), until)

    def _run(
        self, handle: KernelHandle, bound: BoundLaunch, memory: "_Absent", number: int, exact: bool = False
    ) -> AccessError | None:
        """Run one program up to its first access out of bounds, or up to the one that its memory names."""

        def run(body: "Body") -> None:
            language.builder.set_grid_dim(*bound.grid)
            memory.programs = np.array([number])
            body()

        from kernelwright.backend.interpreter.guarded import exactly

        language = patched_language()
        every, language.chosen = language.chosen, _chosen
        try:
            with exactly(language.builder) if exact else nullcontext():
                self.interpret(handle, bound, memory, run)
        except AccessError as error:
            return error
        except KernelFault:  # zeros for what it loads do not suit it, or it takes long
            memory.met = None
        finally:
            language.chosen = every
        return None


@dataclass(frozen=True)
class _Tensor:
    """A tensor argument: its window's origin, and what its storage holds."""

    name: str
    origin: int
    start: int
    nbytes: int
    itemsize: int

    def offset(self, byte: int) -> int:
        """In elements, relative to the tensor's first one."""
        return (byte - self.start) // self.itemsize

    @property
    def extent(self) -> tuple[int, int]:
        return self.offset(0), self.offset(self.nbytes)


@dataclass(frozen=True)
class _Access:
    """One access, lane by lane: which tensor, at which byte of its storage, and whether the mask lets it through."""

    owners: NDArray[np.int64]
    places: NDArray[np.int64]
    on: NDArray[np.bool_]
    is_outside: NDArray[np.bool_]


class _TooLongError(Exception):
    """A program makes more accesses than are looked at."""


class _Absent(AddressSpace):
    """Memory that holds nothing, of one program: it counts accesses, and faults at the first one out of bounds, or at
    the one of the number `until`."""

    def __init__(self, fault: Fault, until: int = 0) -> None:
        super().__init__(fault)
        self.zeros = True
        self.tensors: list[_Tensor] = []
        self.made, self._until = 0, until
        self.met: _Access | None = None

    def add(self, name: str, tensor: Tensor, written: NDArray[np.bool_] | None = None) -> int:
        """Map a meta tensor; its virtual address."""
        del written
        size, origin = tensor.element_size(), self.window(len(self.tensors))
        start = int(tensor.storage_offset()) * size
        self.tensors.append(_Tensor(name, origin, start, tensor.untyped_storage().nbytes(), size))
        return origin + start

    def load(self, pointers: Any, mask: Any, other: Any, dtype: np.dtype, volatile: bool = False) -> Any:
        """Zeros, where the mask is off too."""
        del other, volatile
        self._meet(pointers, mask, dtype, "load")
        return np.zeros(pointers.shape, dtype)

    def store(self, pointers: Any, mask: Any, value: Any) -> None:
        """Nothing is kept."""
        self._meet(pointers, mask, value.dtype, "store")

    def update(self, pointers: Any, mask: Any, value: Any, *_how: Any, reads: bool = True, **_order: Any) -> Any:
        """Zeros, as if nothing had been added."""
        self._meet(pointers, mask, value.dtype, "atomic" if reads else "atomic store")
        return np.zeros(pointers.shape, value.dtype)

    def _meet(self, pointers: NDArray[np.uint64], mask: Any, dtype: np.dtype, access: str) -> None:
        self.made += 1
        if self.made > _EACH:
            raise _TooLongError
        flat = pointers.reshape(-1)
        on = np.broadcast_to(True if mask is None else mask.astype(np.bool_), pointers.shape).reshape(-1)
        owners = self.owners(flat)
        if owners.size and not 0 <= owners.min() <= owners.max() < len(self.tensors):
            raise _TooLongError  # made of numbers, not of the arguments
        origins = np.array([tensor.origin for tensor in self.tensors], np.uint64)
        sizes = np.array([tensor.nbytes for tensor in self.tensors])
        places = (flat - origins[owners]).view(np.int64)
        outside = on & ((places < 0) | (places + dtype.itemsize > sizes[owners]))
        if self.made == self._until or (not self._until and outside.any()):
            self.met = _Access(owners, places, on, outside)
            self._fault("", 0, access, (0, 0), "", False)


def _programs(grid: Grid) -> Sequence[int]:
    """Numbers of programs: those at the corners, others spread over the grid by place and at random."""
    total = math.prod(grid)
    if not total:
        return ()
    ends = [(0, size - 1) for size in grid]
    corners = [x + grid[0] * (y + grid[1] * z) for x, y, z in itertools.product(*ends)]
    spread = [place * (total - 1) // (_SPREAD - 1) for place in range(_SPREAD)]
    mixed = random.Random(total)
    return tuple(dict.fromkeys([*reversed(corners), *spread, *(mixed.randrange(total) for _ in range(_SPREAD))]))


def _chosen(frame: FrameType | None) -> Any:
    """All rounds of a loop, or some, where it hands nothing on that decides what is accessed."""
    skips = frame is not None and may_skip(frame.f_code.co_filename, frame.f_lineno)
    return _some if skips else range


def _some(rounds: int) -> Iterable[int]:
    """The first and the last of them, and some between."""
    if rounds <= 2 * _ENDS + _BETWEEN:
        return range(rounds)
    between = [number * (rounds - 1) // (_BETWEEN + 1) for number in range(1, _BETWEEN + 1)]
    return sorted({*range(_ENDS), *between, *range(rounds - _ENDS, rounds)})


def check_offsets(module: KernelModule) -> None:
    """Raise AccessError where a kernel leaves a tensor at the sizes of the module's reference as 32 bits overflow.

    Raises what host code raises, as NotImplementedError where it looks at values.
    """
    inputs, state = meta_arguments(module)
    load_module(module, OwnSizesRuntime())(inputs, state)
