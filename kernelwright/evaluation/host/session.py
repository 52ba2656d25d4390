"""What tensors and kernels of host code ask of the device; requests wait until one needs an answer."""

import contextlib
import itertools
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from kernelwright.evaluation.host.traces import Trace
from kernelwright.evaluation.protocol import operators
from kernelwright.evaluation.protocol.link import Json, Link, LinkError, TensorRef

_PENDING_BYTES = 32 << 20


@dataclass
class Rehearsal:
    """A call without effect, whose requests wait from `start` on. It is `whole` where it has asked for no answer, and
    `counts` where it is to have its effect after all."""

    start: int
    traced: bool
    whole: bool = True
    counts: bool = False


class Session:
    """The host's end of the link. `externs`: aten operators (`aten.mm`) that may compute; None allows all."""

    def __init__(self, link: Link, externs: frozenset[str] | None) -> None:
        self._link = link
        self._externs = externs
        self._pending: list[tuple[Json, bytes]] = []
        self._pending_bytes = 0
        self._read: list[Any] = []
        self._replayed: Iterator[Any] | None = None
        self._rehearsal: Rehearsal | None = None
        #: Takes down the requests of a call.
        self.trace: Trace | None = None

    @property
    def rehearsing(self) -> bool:
        """Whether launches have no effect, but those that decide what host code may go on to read."""
        return self._rehearsal is not None

    @property
    def drops_launches(self) -> bool:
        """Whether launches are not even taken down."""
        return self._rehearsal is not None and not self._rehearsal.traced

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

    def permits(self, name: str) -> bool:
        """Whether an operator may be applied to withheld content."""
        return operators.permitted(name, self._externs)

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
        self._read.append(self.ask({"do": "item", "tensor": tensor.encode()})["value"])
        return self._read[-1]

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
        """Requests wait meanwhile. Afterwards launches among them are dropped, unless the rehearsal counts; where it is
        not traced they are not even asked for."""
        rehearsal = self._rehearsal = Rehearsal(len(self._pending), traced)
        try:
            yield rehearsal
        finally:
            self._rehearsal = None
            if not rehearsal.counts:
                self._drop(rehearsal)

    def _drop(self, rehearsal: "Rehearsal") -> None:
        start = rehearsal.start
        self._pending[start:] = [one for one in self._pending[start:] if one[0]["do"] != "launch"]

    def _note(self, message: Json, raw: bytes) -> None:
        self._pending.append((message, raw))
        if self.trace is not None:
            self.trace.note(message, raw)

    def operate(self, name: str, args: Any, kwargs: Json, fresh: Sequence[TensorRef]) -> None:
        """Have the device apply an operator; `fresh` tensors receive the results that are new memory."""
        into = [tensor.encode() for tensor in fresh]
        self.post({"do": "operate", "name": name, "args": args, "kwargs": kwargs, "into": into})

    def flush(self) -> None:
        """Send what waits."""
        pending, self._pending, self._pending_bytes = self._pending, [], 0
        self._link.send_all(pending)
