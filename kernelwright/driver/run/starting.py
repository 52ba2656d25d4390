"""What a verb says while it starts: importing PyTorch and Triton takes seconds, and nothing else can speak by then."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

#: After so many seconds a verb says that it starts, and again after each so many.
FIRST_SECONDS, NEXT_SECONDS = 2.0, 4.0

_started = threading.Event()
_said = [0.0]


def started() -> None:
    """The verb speaks for itself from now on."""
    _started.set()


def say_now() -> None:
    """Take down that something is said."""
    _said[0] = time.monotonic()


def last_said() -> float:
    """When something was said last, by time.monotonic."""
    return _said[0]


@contextmanager
def starting(verb: str) -> Iterator[None]:
    """Say on stderr, every few seconds, that a verb is starting: until `started` is called, or the block ends."""
    _started.clear()
    say_now()
    threading.Thread(target=_speak, args=(verb, time.monotonic()), name="starting", daemon=True).start()
    try:
        yield
    finally:
        _started.set()


def _speak(verb: str, began: float) -> None:
    wait = FIRST_SECONDS
    while not _started.wait(wait):
        say_now()
        seconds, wait = last_said() - began, NEXT_SECONDS
        sys.stderr.write(f"kernelwright {verb}: starting, {seconds:.0f} s so far: it imports PyTorch and Triton\n")
