"""A call as the device saw it, repeated without the host: what is timed holds no Python of a candidate.

While the server serves one call, a `Trace` notes every launch, copy and operator with its tensors. `Replay` repeats
them on the same memory, so that content put into the inputs beforehand leads to the outputs that belong to it: a call
that keeps results of an earlier one gives wrong ones when it is replayed.
"""

import functools
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from kernelwright.backend.torch_private import tree_leaves
from kernelwright.evaluation.device.jit import CudaExecutor
from kernelwright.evaluation.device.memory import POISONS
from kernelwright.evaluation.device.serve import Executor, LaunchRequest
from kernelwright.evaluation.protocol.answers import DeviceWork
from kernelwright.evaluation.protocol.operators import COPIES, WRITES

Step = Callable[[], object]
#: Copies of one tensor: done straight into their memory, as eager does.
_PLAIN_COPIES = frozenset(("aten.clone.default", "aten._to_copy.default"))
#: Operators that can write straight into memory that is there already.
_INTO = frozenset(("aten.cat.default", "aten.mm.default", "aten.bmm.default", "aten.addmm.default"))


@dataclass(frozen=True)
class Note:
    """What a step is: whose work, and the name of its kernel in machine code, or of its operator."""

    kind: DeviceWork
    name: str


@dataclass
class _Result:
    """What an operator gave, as the server put it into `memory`, and the tensors that have looked at it since.

    A library gives new memory each time, as it does for eager: copying that would be timed as well. So the tensors
    are led to where the result is; without copies, unless it has other strides than host code was told.
    """

    memory: Tensor
    views: list[tuple[Tensor, int]] = field(default_factory=list)

    def add(self, view: Tensor) -> None:
        """A tensor that looks at it, and the bytes from its start."""
        self.views.append((view, _first_byte(view) - _first_byte(self.memory)))

    def put(self, value: Tensor) -> None:
        """The operator's result of this time."""
        if value.stride() != self.memory.stride() or value.dtype != self.memory.dtype:
            self.memory.copy_(value)
            return
        for view, distance in self.views:
            offset = (_first_byte(value) + distance) // view.element_size()
            view.set_(value.untyped_storage(), offset, view.shape, view.stride())


def _first_byte(tensor: Tensor) -> int:
    return int(tensor.storage_offset()) * tensor.element_size()


@dataclass
class Trace:
    """What one call did, in order; a `Recorder` for the server. `made`: memory that it allocated, as bytes.

    `notes` say what each step is. `requests` are the launches of grids that are not empty, which are steps too.
    `reads` counts numbers that host code read: what it did may then depend on what the inputs held.
    """

    executor: Executor
    steps: list[Step] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    requests: list[LaunchRequest] = field(default_factory=list)
    made: list[Tensor] = field(default_factory=list)
    reads: int = 0
    launches: int = 0
    _results: dict[int, _Result] = field(default_factory=dict)

    def looked_at(self, *tensors: object) -> None:
        """Tensors that are used from now on: those that look at an operator's result follow it."""
        for tensor in tensors:
            if isinstance(tensor, Tensor) and (result := self._results.get(tensor.untyped_storage()._cdata)):
                result.add(tensor)

    def allocated(self, content: Tensor) -> None:
        """New memory: the replay uses the same again."""
        self.made.append(content)

    def uploaded(self, content: Tensor, raw: bytes | bytearray) -> None:
        """Bytes came from the host; they come from it again, without waiting. One value throughout, as `torch.zeros`
        gives, was made on the host only because its content is public: on a device it is a fill."""
        if not raw:
            return
        for dtype in (torch.int64, torch.int32, torch.int16, torch.uint8):
            if len(raw) % dtype.itemsize == 0:
                elements = torch.frombuffer(bytearray(raw), dtype=dtype)
                if bool((elements == elements[0]).all()):
                    self._add(DeviceWork.COPY, "fill", functools.partial(content.view(dtype).fill_, elements[0].item()))
                    return
        staged = torch.frombuffer(bytearray(raw), dtype=torch.uint8)
        staged = staged.pin_memory() if content.is_cuda else staged
        self._add(DeviceWork.COPY, "upload", functools.partial(content.copy_, staged, non_blocking=True))

    def read(self, tensor: Tensor) -> None:
        """Host code read a number, which made it wait for the device."""
        self.reads += 1
        self.looked_at(tensor)
        self._add(DeviceWork.COPY, "read", tensor.item)

    def launched(self, request: LaunchRequest) -> None:
        """A kernel ran."""
        self.launches += 1
        if not all(request.grid):
            return
        self.requests.append(request)
        self.looked_at(*request.arguments.values())
        if isinstance(self.executor, CudaExecutor):
            name, step = self.executor.compiled(request).symbol, self.executor.prepare(request)
        else:
            name, step = request.kernel.split("#")[0], functools.partial(self.executor.launch, request)
        self._add(DeviceWork.GENERATED, name, step)

    def operated(
        self, name: str, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], into: Sequence[Tensor]
    ) -> None:
        """An operator ran, and its results went `into` memory; nothing is there for one that works in place."""
        kind = DeviceWork.COPY if name in COPIES or name in WRITES else DeviceWork.LIBRARY
        self.looked_at(*tree_leaves((args, kwargs)))
        self._add(kind, name, self._operation(name, function, args, kwargs, into))

    def replay(self) -> "Replay":
        """The same again, as often as wanted."""
        return Replay(tuple(self.steps), tuple(self.made), tuple(self.notes))

    def _operation(
        self, name: str, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], into: Sequence[Tensor]
    ) -> Step:
        if not into:
            return functools.partial(function, *args, **kwargs)
        if len(into) == 1 and name in _PLAIN_COPIES:
            return functools.partial(into[0].copy_, args[0])
        if len(into) == 1 and name in _INTO:
            return functools.partial(_packet(name).out, *args, **kwargs, out=into[0])
        results = [_Result(memory) for memory in into]
        self._results |= {result.memory.untyped_storage()._cdata: result for result in results}

        def step() -> None:
            values = [value for value in tree_leaves(function(*args, **kwargs)) if isinstance(value, Tensor)]
            for result, value in zip(results, values, strict=False):
                result.put(value)

        return step

    def _add(self, kind: DeviceWork, name: str, step: Step) -> None:
        self.steps.append(step)
        self.notes.append(Note(kind, name))


def _packet(name: str) -> Any:
    return getattr(torch.ops.aten, name.split(".")[1])


@dataclass(frozen=True)
class Replay:
    """Device work that can be repeated. `made`: the memory that the call allocated; `notes`: what each step is."""

    steps: tuple[Step, ...]
    made: tuple[Tensor, ...]
    notes: tuple[Note, ...] = ()

    def run(self) -> None:
        """Do it again; on a GPU without waiting for it."""
        for step in self.steps:
            step()


@dataclass(frozen=True)
class Slot:
    """An input's memory as bytes, and each draw's content for it. `row`: bytes that stay together, 0: all of it."""

    target: Tensor
    draws: tuple[Tensor, ...]
    row: int

    def fill(self, draw: int, rows: int) -> None:
        """Put a draw there, turned by some of its rows."""
        content, at = self.draws[draw], rows * self.row
        if at == 0:
            self.target.copy_(content)
            return
        self.target[: content.numel() - at].copy_(content[at:])
        self.target[content.numel() - at :].copy_(content[:at])

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return self.target.numel() // self.row if self.row else 1


@dataclass
class Rotation:
    """New content for the inputs before every sample, and poison for what the call allocates.

    A sample that is checked takes a draw as it is. All others take one whose floating tensors are turned by a random
    number of rows, where `turns`: no content comes twice, so that a kernel that knows contents again gains nothing,
    and nothing tells it which of them are checked. `kept`: state that the call changes, and what it is put back to.
    There is one replay, or one for each draw where host code read numbers.
    """

    slots: Sequence[Slot]
    replays: Sequence[Replay]
    kept: Sequence[tuple[Tensor, Tensor]]
    generator: random.Random
    turns: bool = True
    current: int = 0

    @property
    def draws(self) -> int:
        """How many there are; 1 where nothing is put in."""
        return min((len(slot.draws) for slot in self.slots), default=1)

    @property
    def replay(self) -> Replay:
        """What runs on the content that is there now."""
        return self.replays[self.current % len(self.replays)]

    def exact(self, draw: int) -> None:
        """A draw as it is."""
        self._put(draw, turned=False)

    def fresh(self) -> None:
        """A draw, turned."""
        self._put(self.generator.randrange(self.draws), self.turns)

    def run(self) -> None:
        """The call on the content that is there now."""
        self.replay.run()

    def _put(self, draw: int, turned: bool) -> None:
        self.current = draw
        for slot in self.slots:
            slot.fill(draw, self.generator.randrange(1, slot.rows) if turned and slot.rows > 1 else 0)
        for tensor, value in self.kept:
            tensor.copy_(value)
        poison = self.generator.choice(POISONS)
        for content in self.replay.made:
            content.fill_(poison)


def slot(target: Tensor, draws: Sequence[Tensor]) -> Slot:
    """An input's memory and what goes into it; `draws` have its dtype, shape and strides."""
    turns = target.is_floating_point() and target.ndim > 0
    row = target.element_size() * (target.shape[-1] if target.ndim > 1 else 1) if turns else 0
    place = as_bytes(target)
    if row and place.numel() % row:  # elements that others do not follow without a gap
        row = target.element_size()
    return Slot(place, tuple(as_bytes(draw) for draw in draws), row)


def as_bytes(tensor: Tensor) -> Tensor:
    """The memory from a tensor's first to its last element, which holds nothing else."""
    last = sum((size - 1) * step for size, step in zip(tensor.shape, tensor.stride(), strict=True))
    size = (last + 1) * tensor.element_size() if tensor.numel() else 0
    start = tensor.storage_offset() * tensor.element_size()
    return torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(tensor.untyped_storage(), start, (size,), (1,))
