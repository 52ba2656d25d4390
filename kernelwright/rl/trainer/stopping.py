"""Stopping a run in order: the first Ctrl-C or SIGTERM asks it to stop, a second one ends it where it is."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from kernelwright.ir.errors import Terminated

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
#: Two signals within so many seconds are one: a terminal sends Ctrl-C to torchrun's processes, and torchrun does again.
_ONE_SIGNAL_SECONDS = 1.0


class Stop:
    """Takes the process's signals while it is entered, in its main thread; elsewhere it does nothing.

    The first signal raises in the blocks that are `interruptible`; outside them it is only noted, and `asked` is true
    from then on. A later one raises wherever the process is, and `at_once` is true. KeyboardInterrupt is raised, for
    SIGTERM Terminated. `announce` is called once, in a thread of its own, and told whether a block was interrupted.
    """

    def __init__(self, announce: Callable[[bool], None] = lambda _interrupted: None) -> None:
        self._announce = announce
        self._number: int | None = None
        self._since = 0.0
        self._open = self.at_once = False
        self._before: dict[int, object] = {}

    @property
    def asked(self) -> bool:
        """Whether the run is to stop."""
        return self._number is not None

    @property
    def in_order(self) -> bool:
        """Whether the run is to stop behind the block that a KeyboardInterrupt just gave up."""
        return self.asked and not self.at_once

    def interruption(self, told: str = "") -> KeyboardInterrupt:
        """What ends the run; `told` says in one line what is kept."""
        kind = Terminated if self._number == signal.SIGTERM else KeyboardInterrupt
        return kind(told) if told else kind()

    @contextmanager
    def interruptible(self, alone: bool = True) -> Iterator[None]:
        """A block that may be given up where it is; with `alone` false it is no such block."""
        self._open = alone
        try:
            if alone and self.asked:
                raise self.interruption()
            yield
        finally:
            self._open = False

    def __enter__(self) -> "Stop":
        self._number, self._open, self.at_once = None, False, False
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._take) for number in _SIGNALS}
        return self

    def __exit__(self, *exception: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)  # type: ignore[arg-type]
        self._before = {}

    def _take(self, number: int, _frame: FrameType | None) -> None:
        if self.asked:
            if time.monotonic() - self._since > _ONE_SIGNAL_SECONDS:
                self.at_once = True
                raise self.interruption()
            return
        self._number, self._since, given_up = number, time.monotonic(), self._open
        self._open = False
        # A thread may wait for the terminal; a handler could wait for what it has interrupted.
        threading.Thread(target=self._announce, args=(given_up,), daemon=True).start()
        if given_up:
            raise self.interruption()
