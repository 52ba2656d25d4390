"""Programs of a grid one by one, each until it ends or waits for what another one does."""

import threading
import zlib
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelwright.backend.interpreter.batched_signals import Meeting

#: Rounds of a loop that see nothing new, after which programs that run together run one by one.
_ROUNDS = 16
#: With so many programs that wait, the others begin in the order of their numbers.
_MOST_WAITING = 64
#: So many programs of a launch are paused at a time, and so often all of them together.
_MOST_PAUSED, _PAUSES = 8, 64
_STACK_BYTES = 1 << 20


class Watch:
    """Tells that a loop waits: one round accessed the same elements as the round before, found the same values there,
    and changed nothing. `wait` is called then."""

    def __init__(self) -> None:
        self.wait: Callable[[], None] | None = None
        self._seen, self._changes = 0, 0
        self._rounds: dict[tuple[int, int, int], tuple[int, int, int, int]] = {}

    def found(self, pointers: NDArray[np.uint64], values: NDArray[Any]) -> None:
        """A program has read these values."""
        self._seen += 1 + zlib.crc32(np.ascontiguousarray(values).tobytes(), zlib.crc32(pointers.tobytes()))

    def changed(self) -> None:
        """A program has changed something."""
        self._changes += 1

    def again(self, loop: tuple[int, int, int], together: bool) -> None:
        """A loop, of the program, frame and line told, begins another round. Raises Meeting where programs that run
        `together` wait."""
        seen, changes, grown, alike = self._rounds.get(loop, (0, -1, -1, 0))
        now = self._seen - seen
        alike = alike + 1 if now and now == grown and changes == self._changes else 0
        if alike and not together and self.wait is not None:
            self.wait()
            alike = 0
        if alike >= _ROUNDS and together:
            raise Meeting
        self._rounds[loop] = self._seen, self._changes, now, alike


class _StoppedError(BaseException):
    """Another program has failed."""


@dataclass(frozen=True)
class _Waiting:
    """A program that waits, and what lets it go on."""

    state: Any
    turn: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))


class Turns:
    """Runs one program at a time, in threads, since one that waits keeps its place in the kernel.

    `begin` prepares for a program. `saved` gives what is the running program's own, and `restored` brings it back.
    """

    def __init__(
        self,
        body: Callable[[], object],
        begin: Callable[[int], None],
        saved: Callable[[], Any],
        restored: Callable[[Any], None],
    ) -> None:
        self._body, self._begin, self._saved, self._restored = body, begin, saved, restored
        self._pending: deque[int] = deque()
        self._waiting: deque[_Waiting] = deque()
        self._pauses = 0
        self._end = threading.Event()
        self._error: BaseException | None = None
        self._stopped = False
        self._threads: list[threading.Thread] = []

    def run(self, order: Iterable[int]) -> None:
        """Run the programs of these numbers, which begin in that order. Raises what the first one to fail raises."""
        self._pending = deque(order)
        before = threading.stack_size(_STACK_BYTES)
        try:
            self._start()
            self._end.wait()
        finally:
            threading.stack_size(before)
            self._stopped = True
            for one in self._waiting:
                one.turn.release()
        for thread in self._threads:
            thread.join()
        if self._error is not None:
            raise self._error

    def wait(self) -> None:
        """The running program waits: others go on, if there are any, the one first that has waited longest."""
        self._let_go_on(self._waiting.popleft)

    def pause(self, latest: bool) -> None:
        """The running program has found something by an atomic: before it uses that, others go on, unless many wait;
        then the one that has waited longest, or the `latest`."""
        if self._pauses < _PAUSES and len(self._waiting) < _MOST_PAUSED:
            self._pauses += 1
            self._let_go_on(self._waiting.pop if latest else self._waiting.popleft)

    def _let_go_on(self, other_of: Callable[[], _Waiting]) -> None:
        if self._stopped:
            raise _StoppedError
        if not self._pending and not self._waiting:
            return
        mine = _Waiting(self._saved())
        other = None if self._pending else other_of()
        self._waiting.append(mine)
        if other is None:
            self._start()
        else:
            other.turn.release()
        mine.turn.acquire()
        if self._stopped:
            raise _StoppedError
        self._restored(mine.state)

    def _start(self) -> None:
        self._threads.append(threading.Thread(target=self._work, daemon=True))
        self._threads[-1].start()

    def _work(self) -> None:
        """Run programs that have not begun, then let one that waits go on."""
        try:
            with np.errstate(all="ignore"):
                while self._pending:
                    self._begin(self._taken())
                    self._body()
        except _StoppedError:
            return
        except BaseException as error:  # noqa: BLE001 (raised again by who asked for the run)
            self._error = error
        if self._error is None and self._waiting:
            self._waiting.pop().turn.release()
        else:
            self._end.set()

    def _taken(self) -> int:
        """The next program to begin; of many that wait, a later one's number is no use."""
        if len(self._waiting) < _MOST_WAITING:
            return self._pending.popleft()
        first = min(self._pending)
        self._pending.remove(first)
        return first
