"""What tensors and kernels of host code ask of the device; requests wait until one needs an answer."""

import contextlib
import itertools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from kernelwright.evaluation.host.traces import Trace
from kernelwright.evaluation.protocol import operators
from kernelwright.evaluation.protocol.link import ITEMS_PER_CALL, Json, Link, LinkError, TensorRef

_PENDING_BYTES = 32 << 20
#: Stores with these numbers and above belong to the device.
DEVICE_NUMBERS = 1 << 32


@dataclass
class Rehearsal:
    """A call without effect, whose requests wait from `start` on. It is `whole` where it has asked for no answer, and
    `counts` where it is to have its effect after all. So many of its launches are `lasting`: they have their effect, as
    the program keeps what they write."""

    start: int
    traced: bool
    whole: bool = True
    counts: bool = False
    lasting: int = 0


class EnoughReadError(Exception):
    """A call that reads integers in another order is given no more of them."""


class Session:
    """The host's end of the link. `externs`: aten operators (`aten.mm`) that may compute; None allows all. `prepares`:
    others may on weights alone, which the device sees to."""

    def __init__(self, link: Link, externs: frozenset[str] | None, prepares: bool = False) -> None:
        self._link = link
        self._externs = externs
        self._prepares = prepares
        self._pending: list[tuple[Json, bytes]] = []
        self._pending_bytes = 0
        self._read: list[Any] = []
        self._replayed: Iterator[Any] | None = None
        #: Inputs of integers by their stores, each with its tensor if its rows are read from the last to the first.
        self._backwards: Mapping[int, TensorRef | None] = {}
        self._before: Iterator[Any] | None = None
        self._rehearsal: Rehearsal | None = None
        #: Takes down the requests of a call.
        self.trace: Trace | None = None
        #: Parameters that kernels may write through, by a kernel's key.
        self.written: dict[str, frozenset[str]] = {}
        #: Stores that there are, and those among them that a launch with effect may have written to.
        self._live: set[int] = set()
        self._touched: set[int] = set()
        #: Stores of weights, and of results that the caller keeps: no others that last are the program's own.
        self.known: frozenset[int] = frozenset()
        #: Whether the program keeps memory from call to call that kernels write to.
        self.keeps = False
        self._meanwhile: tuple[int, Callable[[], None]] | None = None

    @property
    def rehearsing(self) -> bool:
        """Whether launches have no effect, but those that decide what host code may go on to read."""
        return self._rehearsal is not None

    @property
    def drops_launches(self) -> bool:
        """Whether launches are not even taken down."""
        return self._rehearsal is not None and not self._rehearsal.traced and not self.keeps

    def at_launch(self, number: int, call: Callable[[], None] | None) -> None:
        """Make a call when the launch of this number comes, 1 for the next; None for no call any more."""
        self._meanwhile = None if call is None else (number, call)

    def launching(self) -> None:
        """Told before each launch."""
        if self._meanwhile is not None:
            number, call = self._meanwhile
            self._meanwhile = (number - 1, call) if number > 1 else None
            if number == 1:
                call()

    def post(self, message: Json, raw: bytes = b"") -> None:
        """A request without an answer; sent before the next that has one."""
        self._note(message, raw)
        self._pending_bytes += len(raw)
        if self._rehearsal is None and (self._pending_bytes > _PENDING_BYTES or len(self._pending) > 1000):
            self.flush()

    def ask(self, message: Json) -> Json:
        """A request and its answer."""
        if self._rehearsal is not None:
            self._rehearsal.whole = False
            self._drop(self._rehearsal)
        self._note(message, b"")
        self.flush()
        if self._rehearsal is not None:
            self._rehearsal.start = 0
        answer, _ = self._link.receive()
        return answer

    def anew(self) -> None:
        """Whatever host code was told of inputs bears on nothing that it does from now on."""
        self.post({"do": "anew"})

    def permits(self, name: str) -> bool:
        """Whether an operator may be applied to withheld content."""
        return operators.permitted(name, self._externs) or (self._prepares and operators.prepares(name))

    def refuse(self, what: str) -> NoReturn:
        """Host code computes what kernels should: the device ends everything here."""
        with contextlib.suppress(LinkError):
            self.ask({"do": "refuse", "what": what})
        os._exit(0)

    def leave(self, what: str) -> NoReturn:
        """Host code asks for something that no judge can give: the device is told, and everything ends here."""
        with contextlib.suppress(LinkError):
            told = f"host code {what}, which has no part in a kernel's work; leave that out"
            self._link.send({"do": "raised", "error": f"PermissionError: {told}"})
        os._exit(0)

    def item(self, tensor: TensorRef) -> Any:
        """The one number of a small tensor."""
        if self._replayed is not None:
            if self._rehearsal is not None:
                self._rehearsal.whole = False
            return next(self._replayed)
        if self._before is not None:
            known = next(self._before, None)
            if known is None:
                raise EnoughReadError
            return self._told(_mirrored(tensor, self._backwards)) if tensor.store in self._backwards else known
        self._read.append(self._told(tensor))
        return self._read[-1]

    def _told(self, tensor: TensorRef) -> Any:
        return self.ask({"do": "item", "tensor": tensor.encode()})["value"]

    @contextlib.contextmanager
    def backwards(self, inputs: Mapping[int, TensorRef | None]) -> Iterator[None]:
        """Host code reads integers of inputs meanwhile, and the rows of those with a tensor from the last to the first.
        It is told of all else what it read before, and no more numbers in all than it read then."""
        self._backwards, self._before = inputs, iter(self._read)
        try:
            yield
        finally:
            self._before = None

    @property
    def may_read_twice(self) -> bool:
        """Whether host code has read anything since rehearsals were last made, and so little that the device tells it
        twice in a call."""
        return 0 < len(self._read) <= ITEMS_PER_CALL // 2

    @contextlib.contextmanager
    def replaying(self) -> Iterator[None]:
        """Host code reads meanwhile what it read before, if it read anything, again and again; afterwards it reads
        anew."""
        read, self._read = self._read, []
        self._replayed = itertools.cycle(read) if read else None
        try:
            yield
        finally:
            self._replayed = None

    @contextlib.contextmanager
    def rehearsal(self, traced: bool = True) -> Iterator["Rehearsal"]:
        """Requests wait meanwhile. Afterwards launches among them are dropped, unless the rehearsal counts or they
        write what the program keeps; where it is not traced they are not even asked for."""
        self.anew()
        rehearsal = self._rehearsal = Rehearsal(len(self._pending), traced)
        try:
            yield rehearsal
        finally:
            self._rehearsal = None
            if not rehearsal.counts:
                self._drop(rehearsal)

    def _drop(self, rehearsal: "Rehearsal") -> None:
        waiting = self._pending[rehearsal.start :]
        lasting = self._lasting([message for message, _ in waiting]) if self.keeps else frozenset()
        rehearsal.lasting += len(lasting)
        self._pending[rehearsal.start :] = [
            one for one in waiting if id(one[0]) in lasting or not (one[0]["do"] == "launch" or self._changes(one[0]))
        ]

    def _changes(self, message: Json) -> bool:
        """Whether an operator writes to what the caller holds: an input, a weight or a result."""
        return any(number in self.known or number >= DEVICE_NUMBERS for number in message.get("written", ()))

    def _lasting(self, messages: Sequence[Json]) -> frozenset[int]:
        """The launches, by identity, that write what the program keeps, and those that write what these read."""
        wanted, found = self._live - self.known, set()
        for message in reversed(messages):
            if message["do"] in ("launch", "operate") and not wanted.isdisjoint(self._writes(message)):
                found.add(id(message))
                wanted |= _given(message)
        return frozenset(found)

    def _writes(self, message: Json) -> Iterator[int]:
        if message["do"] == "operate":
            yield from (*(ref[0] for ref in message["into"]), *message["written"])
            return
        arguments = message["arguments"]
        for name in self.written.get(message["kernel"], arguments.keys()):
            if "tensor" in arguments.get(name, ()):
                yield arguments[name]["tensor"][0]

    def returned(self, known: frozenset[int]) -> None:
        """A call with effect is over, and these stores are no memory of the program's own."""
        self.known = known
        self._touched &= self._live
        self.keeps = self.keeps or not self._touched <= known

    def _note(self, message: Json, raw: bytes) -> None:
        self._pending.append((message, raw))
        kind = message["do"]
        if kind == "alloc":
            self._live.add(message["id"])
        elif kind == "free":
            self._live.discard(message["id"])
        elif kind == "launch" and self._rehearsal is None:
            self._touched.update(self._writes(message))
        elif kind == "operate" and self._rehearsal is None and not self._touched.isdisjoint(_given(message)):
            self._touched.update(self._writes(message))  # it keeps what a kernel has a part in
        if self.trace is not None:
            self.trace.note(message, raw)

    def operate(self, name: str, args: Any, kwargs: Json, fresh: Sequence[TensorRef], **stores: Sequence[int]) -> None:
        """Have the device apply an operator; `fresh` tensors receive the results that are new memory. `stores`: those
        that it is `given`, and those of them that are `written`."""
        into = [tensor.encode() for tensor in fresh]
        self.post({"do": "operate", "name": name, "args": args, "kwargs": kwargs, "into": into, **stores})

    def flush(self) -> None:
        """Send what waits."""
        pending, self._pending, self._pending_bytes = self._pending, [], 0
        self._link.send_all(pending)


def _given(message: Json) -> set[int]:
    """The stores that a launch or an operator is given."""
    if message["do"] == "operate":
        return set(message["given"])
    return {one["tensor"][0] for one in message["arguments"].values() if "tensor" in one}


def _mirrored(one: TensorRef, inputs: Mapping[int, TensorRef | None]) -> TensorRef:
    """The element of a tensor without gaps that stands as far from its last row as this one from the first."""
    whole = inputs[one.store]
    if whole is None:
        return one
    row, rest = divmod(one.offset - whole.offset, whole.strides[0])
    return replace(one, offset=whole.offset + (whole.shape[0] - 1 - row) * whole.strides[0] + rest)
