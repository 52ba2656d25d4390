"""What tensors and kernels of host code ask of the device; requests wait until one needs an answer."""

import contextlib
import itertools
import os
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from kernelwright.evaluation.protocol import operators
from kernelwright.evaluation.protocol.link import Json, Link, LinkError, TensorRef

_PENDING_BYTES = 32 << 20


class Session:
    """The host's end of the link. `externs`: aten operators (`aten.mm`) that may compute; None allows all."""

    def __init__(self, link: Link, externs: frozenset[str] | None) -> None:
        self._link = link
        self._externs = externs
        self._pending: list[tuple[Json, bytes]] = []
        self._pending_bytes = 0
        self._read: list[Any] = []
        self._replayed: Iterator[Any] | None = None

    def post(self, message: Json, raw: bytes = b"") -> None:
        """A request without an answer; sent before the next that has one."""
        self._pending.append((message, raw))
        self._pending_bytes += len(raw)
        if self._pending_bytes > _PENDING_BYTES or len(self._pending) > 1000:
            self.flush()

    def ask(self, message: Json) -> Json:
        """A request and its answer."""
        self._pending.append((message, b""))
        self.flush()
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

    def item(self, tensor: TensorRef) -> Any:
        """The one number of a small tensor."""
        if self._replayed is not None:
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

    def operate(self, name: str, args: Any, kwargs: Json, fresh: Sequence[Any]) -> None:
        """Have the device apply an operator; `fresh` tensors receive the results that are new memory."""
        from kernelwright.evaluation.host.withheld import reference_to

        into = [reference_to(tensor).encode() for tensor in fresh]
        self.post({"do": "operate", "name": name, "args": args, "kwargs": kwargs, "into": into})

    def flush(self) -> None:
        """Send what waits."""
        pending, self._pending, self._pending_bytes = self._pending, [], 0
        self._link.send_all(pending)
