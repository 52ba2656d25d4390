"""Who calls a program: from how deep, in which thread, in an event loop or not."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from torch import nn

#: Threads that call programs: a script's own, a server's for one request, and those of pools.
THREADS = ("", "own", "request", "pool", "loop's pool")
_PREFIXES = {"pool": "ThreadPoolExecutor-0", "loop's pool": "asyncio"}
#: Modules around the one that is called.
DEPTHS = (0, 0, 0, 1, 4, 16, 64)


class _Layer(nn.Module):
    """A module of a larger model, which calls the next."""

    def __init__(self, inner: Callable[[], Any]) -> None:
        super().__init__()
        self._inner = inner

    def forward(self) -> Any:
        """What the module inside gives."""
        return self._inner()


def below(depth: int, call: Callable[[], Any]) -> Any:
    """What a call gives within so many modules; each has three functions on the stack."""
    for _ in range(depth):
        call = _Layer(call)
    return call()


def handling(call: Callable[[], Any]) -> Any:
    """What a call gives while its caller handles an exception, as a way around what failed."""
    try:
        raise RuntimeError("what the caller tried first")
    except RuntimeError:
        return call()


class _NoSelector:
    """Waits for nothing: no files and no other threads have a part in the loop."""

    def select(self, timeout: float | None = None) -> list[Any]:
        """No events."""
        del timeout
        return []

    def close(self) -> None:
        """Nothing to close."""


class _Loop(asyncio.BaseEventLoop):
    """A running event loop that needs no socket."""

    def __init__(self) -> None:
        super().__init__()
        self._selector = _NoSelector()

    def _process_events(self, _events: Any) -> None: ...

    def _write_to_self(self) -> None: ...


_Loop.__name__ = _Loop.__qualname__ = "_UnixSelectorEventLoop"
_Loop.__module__ = "asyncio.unix_events"


def in_event_loop(call: Callable[[], Any]) -> Any:
    """What a call gives within a task of a running event loop, as servers make it."""

    async def served() -> Any:
        return call()

    loop = _Loop()
    try:
        return loop.run_until_complete(served())
    finally:
        loop.close()


def interleaved(
    at_launch: Callable[[Callable[[], None] | None], None], outer: Callable[[], Any], inner: Callable[[], Any]
) -> tuple[Any, Any]:
    """What two calls give: the inner one is made whole in a thread of its own when a launch of the outer one comes that
    `at_launch` waits for; after it where there is no such launch."""
    found: list[Any] = []

    def meanwhile() -> None:
        found.append(in_thread("own", inner))

    at_launch(meanwhile)
    try:
        result = outer()
    finally:
        at_launch(None)
    if not found:
        meanwhile()
    return result, found[0]


def in_thread(kind: str, call: Callable[[], Any]) -> Any:
    """What a call gives in a thread of this kind; "" is the thread that asks."""
    if not kind:
        return call()
    if kind in _PREFIXES:
        with ThreadPoolExecutor(1, thread_name_prefix=_PREFIXES[kind]) as pool:
            return pool.submit(call).result()
    results: list[Any] = []
    raised: list[BaseException] = []

    def process_request_thread() -> None:
        try:
            results.append(call())
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            raised.append(error)

    thread = threading.Thread(target=process_request_thread, daemon=kind == "request")
    thread.start()
    thread.join()
    if raised:
        raise raised[0]
    return results[0]
