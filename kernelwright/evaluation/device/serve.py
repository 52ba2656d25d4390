"""The device's end of the link: it serves a host's requests and decides what its calls amount to."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch
from torch import Tensor

from kernelwright.backend.tensors import INNER_TORCH_DTYPES
from kernelwright.backend.torch_private import tree_map_only
from kernelwright.evaluation.device.kernels import Description, check
from kernelwright.evaluation.device.memory import Memory
from kernelwright.evaluation.device.provenance import Provenance
from kernelwright.evaluation.protocol import operators
from kernelwright.evaluation.protocol.kernel_text import written_parameters
from kernelwright.evaluation.protocol.link import (
    COPY,
    FLOATS_PER_CALL,
    ITEM_BYTES,
    ITEMS_PER_CALL,
    Json,
    Link,
    LinkError,
    Origin,
    TensorRef,
)

#: How often a host is told which of its launches is fastest, and of how many; no more, as times may tell of content.
TUNES, TRIALS = 16, 32


class CheatError(Exception):
    """Host code did what nobody needs who computes in kernels; says what."""


class HostComputesError(Exception):
    """Host code did in plain sight what kernels are to do; says what, and what to write instead."""

    def __init__(self, what: str) -> None:
        super().__init__(f"host code {what}; {INSTEAD}")


#: What to do instead of computing in host code.
INSTEAD = "write a @triton.jit kernel for it, and keep what it gives on the device"


class HostLeftError(Exception):
    """The host ended before it had answered; says what it raised where it `told`."""

    def __init__(self, message: str, told: bool) -> None:
        super().__init__(message)
        self.told = told


@dataclass(frozen=True)
class LaunchRequest:
    """A launch as decoded: `arguments` hold tensors of the device's memory, numbers and encoded language values."""

    kernel: str
    grid: tuple[int, int, int]
    arguments: Mapping[str, Any]
    constexprs: frozenset[str]
    options: Mapping[str, Any]


class Executor(Protocol):
    """What runs kernels: the interpreter, or a GPU. It is `timed` where launches take the time that they take.

    By the number of the `call` one that is not varies what a GPU leaves open: the order of programs, and which of an
    autotuned kernel's configurations is the fastest.
    """

    timed: bool
    call: int

    def describe(self, description: Description) -> None:
        """Take a kernel in; it has been checked."""
        ...

    def launch(self, request: LaunchRequest) -> None:
        """Run one launch to its end; raises what the kernel's faults are."""
        ...

    def fastest(self, requests: Sequence[LaunchRequest], keep: Callable[[], Callable[[], None]]) -> int:
        """The number of the launch that takes the least time, 0 where nothing is timed. `keep` takes the content of
        their tensors down and gives what puts it back; whoever runs them does that before each."""
        ...

    def fresh(self, whole: Tensor) -> None:
        """This memory is new: nobody has written to it."""
        ...

    def filled(self, whole: Tensor) -> None:
        """This memory was written to, or is no more."""
        ...


class Recorder(Protocol):
    """What takes down all that happens on the device; each is told after it has happened."""

    def allocated(self, content: Tensor) -> None: ...

    def uploaded(self, content: Tensor, raw: bytes | bytearray) -> None: ...

    def read(self, tensor: Tensor) -> None: ...

    def launched(self, request: LaunchRequest) -> None: ...

    def operated(
        self, name: str, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], into: Sequence[Tensor]
    ) -> None: ...


@dataclass
class Server:
    """Serves one host until it has returned from a call. `externs`: operators that may compute; None allows all.

    `kernels`: the sources of the kernels that there are, by symbol,
    whatever text a host sends; None takes its texts. `read`: whether a host has read a number.

    `own`: stores that a program keeps from call to call, besides those of weights. Another call may run at the same
    time, so that after a launch that has changed such a store nobody knows what it holds; `overwritten` are the stores
    that a launch of this call has changed. `touched` are all stores that a launch or an operator has written to.
    """

    link: Link
    memory: Memory
    executor: Executor
    externs: frozenset[str] | None
    items: int = 0
    floats: int = 0
    launches: int = 0
    tunes: int = 0
    kernels: Mapping[str, str] | None = None
    recorder: Recorder | None = None
    read: bool = False
    own: frozenset[int] = frozenset()
    overwritten: set[int] = field(default_factory=set)
    touched: set[int] = field(default_factory=set)
    _kernels: dict[str, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.provenance = Provenance(self.memory, prepares=self.kernels is None)

    def until(self, *wanted: str) -> tuple[Json, bytearray]:
        """Serve requests until one of these comes; that message.

        Raises CheatError, HostComputesError, HostLeftError, KernelRefusedError, MemoryError, LinkError for a host that
        breaks the protocol, and what a kernel's faults are.
        """
        while True:
            try:
                message, raw = self.link.receive()
            except LinkError as error:
                raise HostLeftError(str(error), told=False) from error
            kind = message.get("do")
            if kind in wanted:
                return message, raw
            if kind == "raised" and message.get("memory"):
                raise MemoryError(f"host code: {str(message.get('error'))[:500]}")
            if kind == "raised":
                raise HostLeftError(str(message.get("error"))[:2000], told=True)
            handler = _HANDLERS.get(str(kind))
            if handler is None:
                raise LinkError(f"the host asks for {kind!r}")
            try:
                answer = handler(self, message, raw)
            except (KeyError, TypeError, AttributeError, IndexError) as error:
                raise LinkError(f"a request {kind!r} is malformed: {error!r}") from error
            if answer is not None:
                self.link.send(answer)

    def begin_call(self, poison: int, number: int = 0) -> None:
        """Reset what is counted for each call."""
        self.items, self.floats, self.launches = 0, 0, 0
        self.overwritten.clear()
        self.provenance.told = False
        self.executor.call = number
        self.memory.poison = poison

    # requests

    def anew(self, _message: Json, _raw: bytearray) -> None:
        """The program is run again, and knows nothing of what it was told."""
        self.provenance.told = False

    def alloc(self, message: Json, _raw: bytearray) -> None:
        store = self.memory.allocate(int(message["id"]), int(message["bytes"]))
        self.executor.fresh(store.whole)
        if self.recorder is not None:
            self.recorder.allocated(store.content)

    def free(self, message: Json, _raw: bytearray) -> None:
        store = self.memory.free(int(message["id"]))
        if store is not None:
            self.executor.filled(store.whole)

    def upload(self, message: Json, raw: bytearray) -> None:
        store = self.memory.write(int(message["id"]), raw)
        self.provenance.uploaded(store)
        self.executor.filled(store.whole)
        if self.recorder is not None:
            self.recorder.uploaded(store.content, raw)

    def refuse(self, message: Json, _raw: bytearray) -> None:
        what = str(message["what"])[:200]
        if what.startswith("aten."):
            raise HostComputesError(f"computes with {what}")
        if what == COPY:
            raise HostComputesError(f"makes {what} of a tensor that depends on inputs")
        raise CheatError(f"host code makes {what}; kernels must compute")

    def item(self, message: Json, _raw: bytearray) -> Json:
        ref = TensorRef.decode(message["tensor"])
        self.items, self.read = self.items + 1, True
        dtype, nbytes = INNER_TORCH_DTYPES[ref.dtype], self.memory.store(ref.store).nbytes
        self.floats += dtype.is_floating_point
        numbers = dtype.is_floating_point and (nbytes > dtype.itemsize or self.floats > FLOATS_PER_CALL)
        if numbers or self.items > ITEMS_PER_CALL or nbytes > ITEM_BYTES:
            raise HostComputesError("reads a tensor's content")
        if self.memory.store(ref.store).prepared:
            raise HostComputesError("reads a number that it computed of weights")
        self.provenance.read(ref.store)
        if self.recorder is not None:
            self.recorder.read(self.memory.tensor(ref))
        return {"value": self.memory.tensor(ref).item()}

    def kernel(self, message: Json, _raw: bytearray) -> None:
        names = {str(name): value for name, value in dict(message["names"]).items() if isinstance(value, dict)}
        symbol, source = str(message["symbol"]), str(message["source"])
        if self.kernels is not None:
            if symbol not in self.kernels:
                raise LinkError(f"a kernel {symbol!r} is described that the program does not have")
            source = self.kernels[symbol]
        described = Description(str(message["key"]), symbol, source, names)
        check(described)
        self.executor.describe(described)
        self._kernels[described.key] = written_parameters(described.source)

    def launch(self, message: Json, _raw: bytearray) -> Json | None:
        request, watched = self._request(message)
        public = watched & {int(number) for number in message["public"]}
        # By its text, not by what it did: whether content has changed would tell the host of what it depends on.
        changed = self._written(request.kernel, message)
        self.launches, self.touched = self.launches + 1, self.touched | changed
        before = {number: self.memory.store(number).content.clone() for number in public - changed}
        kept = {number: self.memory.store(number).content.clone() for number in watched & self.own}
        self.executor.launch(request)
        if self.recorder is not None:
            self.recorder.launched(request)
        self.memory.check_zones(watched)
        for number in watched:
            store = self.memory.store(number)
            store.origin = Origin.KERNEL if store.origin is Origin.HOST else store.origin
        changed |= self._changed(before)
        self.provenance.goes(watched, changed)
        for number in self._changed(kept):
            self._overwrite(number)
        return {"changed": sorted(public & changed)} if message["public"] else None

    def _written(self, kernel: str, message: Json) -> set[int]:
        """The stores that a launch may write to."""
        given = {name: value["tensor"][0] for name, value in message["arguments"].items() if "tensor" in value}
        return {given[name] for name in self._kernels[kernel] & given.keys()}

    def _changed(self, before: Mapping[int, Tensor]) -> set[int]:
        """Which stores hold something else than before."""
        return {n for n, content in before.items() if not torch.equal(content, self.memory.store(n).content)}

    def _overwrite(self, number: int) -> None:
        """Leave in a store what another call may have left there: nothing to count on."""
        store = self.memory.store(number)
        store.content.fill_(self.memory.poison)
        self.executor.fresh(store.whole)
        self.overwritten.add(number)

    def tune(self, message: Json, _raw: bytearray) -> Json:
        given = message["trials"][: TRIALS if self.executor.timed else None]
        trials = [self._request({**trial, "kernel": message["kernel"]}) for trial in given]
        watched = {number for _, stores in trials for number in stores}
        kept_bytes = sum(self.memory.store(number).nbytes for number in watched)
        self.tunes += 1
        told_enough = self.executor.timed and self.tunes > TUNES
        if told_enough or len(trials) < 2 or self.memory.used + kept_bytes > self.memory.limit:
            return {"best": 0}
        best = self.executor.fastest([request for request, _ in trials], lambda: self._kept(watched))
        if self.executor.call == 0:
            self._leave(trials[best][0], frozenset(message["zeroed"]), frozenset(message["restored"]))
            self.provenance.goes(trials[best][1], self._written(str(message["kernel"]), given[best]))
        self.memory.check_zones(watched)
        return {"best": best}

    def _leave(self, request: LaunchRequest, zeroed: frozenset[str], restored: frozenset[str]) -> None:
        """Leave memory as Triton does that has tried a configuration: what a kernel adds up is then there already."""
        tensors = {name: value for name, value in request.arguments.items() if isinstance(value, Tensor)}
        kept = {name: value.clone() for name, value in tensors.items() if name in restored}
        reset = [value for name, value in tensors.items() if name in zeroed]
        for value in reset:
            value.zero_()
        self.executor.launch(request)
        for name, was in kept.items():
            tensors[name].copy_(was)
        for value in reset:
            value.zero_()

    def _kept(self, numbers: set[int]) -> Callable[[], None]:
        """Takes the content of stores down; what is given puts it back."""
        contents = [self.memory.store(number).content for number in numbers]
        kept = [(content, content.clone()) for content in contents]

        def restore() -> None:
            for content, value in kept:
                content.copy_(value)

        return restore

    def _request(self, message: Json) -> tuple[LaunchRequest, set[int]]:
        """A launch as it was asked for, and the stores of its tensors."""
        refs = {name: TensorRef.decode(v["tensor"]) for name, v in message["arguments"].items() if "tensor" in v}
        arguments = {
            name: self.memory.tensor(refs[name]) if name in refs else value
            for name, value in message["arguments"].items()
        }
        columns, rows, layers = (int(size) for size in message["grid"])
        if message["kernel"] not in self._kernels:
            raise LinkError("a kernel is launched that was not described")
        request = LaunchRequest(
            str(message["kernel"]),
            (columns, rows, layers),
            arguments,
            frozenset(map(str, message["constexprs"])),
            dict(message["options"]),
        )
        return request, {ref.store for ref in refs.values()}

    def operate(self, message: Json, _raw: bytearray) -> None:
        name = str(message["name"])
        found: list[tuple[TensorRef, Tensor]] = []
        args = [self._decode(value, found) for value in message["args"]]
        kwargs = {str(key): self._decode(value, found) for key, value in message["kwargs"].items()}
        into = [TensorRef.decode(ref) for ref in message["into"]]
        given, permitted = {ref.store for ref, _ in found}, self._permits(name)
        if not permitted and not self.provenance.allows(name, given):
            raise HostComputesError(f"computes with {name}")
        kwargs.pop("device", None)
        result = _operator(name)(*args, **kwargs)
        results: list[Tensor] = []
        tree_map_only(Tensor, results.append, result)
        for ref, value in zip(into, results, strict=False):
            if value.shape == ref.shape:  # a result that nobody uses may differ from what its shadow promises
                self.memory.tensor(ref).copy_(value)
        if self.recorder is not None:
            self.recorder.operated(name, _operator(name), args, kwargs, [self.memory.tensor(ref) for ref in into])
        outputs = {id(tensor) for tensor in _mutated(_operator(name), args, kwargs)}
        self._fill([*into, *(ref for ref, tensor in found if id(tensor) in outputs)], name, given, permitted)

    def _fill(self, written: Sequence[TensorRef], name: str, given: set[int], permitted: bool) -> None:
        """Note what an operator has written of what it was given."""
        moves = name in operators.COPIES or name in operators.WRITES or not permitted
        origins = {self.memory.store(number).origin for number in given} if moves else {Origin.KERNEL}
        origin = next((one for one in (Origin.KERNEL, Origin.GIVEN) if one in origins), Origin.HOST)
        self.provenance.goes(given, [ref.store for ref in written], prepared=not permitted)
        for ref in written:
            store = self.memory.store(ref.store)
            store.origin = origin
            self.executor.filled(store.whole)
            self.touched.add(ref.store)

    def _permits(self, name: str) -> bool:
        return operators.permitted(name, self.externs)

    def _decode(self, value: Any, found: list[tuple[TensorRef, Tensor]]) -> Any:
        if isinstance(value, list):
            return [self._decode(item, found) for item in value]
        if not isinstance(value, dict):
            return value
        if "tensor" in value:
            ref = TensorRef.decode(value["tensor"])
            found.append((ref, self.memory.tensor(ref)))
            return found[-1][1]
        if "values" in value:
            dtype = INNER_TORCH_DTYPES[value["dtype"]]
            return torch.tensor(value["values"], dtype=dtype, device=self.memory.device).reshape(value["shape"])
        if "dtype" in value:
            return INNER_TORCH_DTYPES[value["dtype"]]
        return getattr(torch, _memory_format(str(value["memory_format"])))


def _mutated(operator: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Tensor]:
    """The arguments that an operator's schema says it writes to."""
    found: list[Tensor] = []
    for index, argument in enumerate(operator._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            value = args[index] if index < len(args) else kwargs.get(argument.name)
            tree_map_only(Tensor, found.append, value)
    return found


def _memory_format(name: str) -> str:
    if name not in ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d"):
        raise LinkError(f"no memory format {name!r}")
    return name


def _operator(name: str) -> Any:
    space, operation, overload = name.split(".")
    if space != "aten":
        raise LinkError(f"no operator {name!r}")
    return getattr(getattr(torch.ops.aten, operation), overload)


_HANDLERS: Mapping[str, Any] = {
    kind: getattr(Server, kind) for kind in "anew alloc free upload refuse item kernel launch tune operate".split()
}


def tensors_of(message: Json, key: str) -> Sequence[TensorRef]:
    """The tensor references in a message."""
    return [TensorRef.decode(ref) for ref in message[key]]
