"""Whose turn it is on a GPU: processes that check share it, one that takes times has it alone.

Turns are locks on a file for each GPU, so that they end with the process that holds one. Processes of other programs
know nothing of them. Another file is the gate through which everyone goes to wait: who waits to have the device alone
stays in it, so that others who only want to share do not come before, one after another, for ever.

Whoever shares keeps all others from timing: turns are for what keeps the device busy, not for what the host does alone,
and what takes many steps pauses between them.
"""

import contextlib
import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import torch

#: Seconds of a turn after which there may be pauses: who pauses waits for all who time, so that many cost much. Who
#: waited longer for a turn keeps it for as long, and so has the device for half of the time at least.
_LONG_SECONDS = 0.1
#: The same for all processes on a machine, whatever TMPDIR says: a job's is its own.
_FOLDER = Path("/tmp" if os.access("/tmp", os.W_OK) else tempfile.gettempdir())


class DeviceLock:
    """The turns on one device, each over once the device has done what was queued. Nobody waits for the CPU."""

    def __init__(self, device: torch.device) -> None:
        self._file = self._gate = -1
        self._mode, self._since, self._waited = fcntl.LOCK_UN, 0.0, 0.0
        if device.type == "cuda":
            name = f"kernelwright-{os.getuid()}-{torch.cuda.get_device_properties(device).uuid}"
            self._file, self._gate = _opened(_FOLDER / name), _opened(_FOLDER / f"{name}-gate")

    @contextlib.contextmanager
    def shared(self) -> Iterator[None]:
        """Use the device beside others, once nobody has it alone."""
        with self._held(fcntl.LOCK_SH):
            yield

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Have the device alone, once all others are done. Who has it alone keeps it."""
        with contextlib.nullcontext() if self._mode == fcntl.LOCK_EX else self._held(fcntl.LOCK_EX):
            yield

    @contextlib.contextmanager
    def at_least_shared(self) -> Iterator[None]:
        """Keep the turn that is held; where none is, use the device beside others."""
        with self.shared() if self._mode == fcntl.LOCK_UN else contextlib.nullcontext():
            yield

    @contextlib.contextmanager
    def given_up(self) -> Iterator[None]:
        """Let others have the device meanwhile, and take the same turn again."""
        with self._held(fcntl.LOCK_UN):
            yield

    def pause(self, seconds: float = _LONG_SECONDS) -> None:
        """Let others go first who wait, and take the same turn again, if it is longer than so many seconds."""
        if time.monotonic() - self._since > max(seconds, self._waited):
            with self.given_up():
                pass

    def close(self) -> None:
        """Give up whatever is held; idempotent."""
        if self._file >= 0:
            os.close(self._file)
            os.close(self._gate)
            self._file = self._gate = -1

    @contextlib.contextmanager
    def _held(self, mode: int) -> Iterator[None]:
        before = self._mode
        self._set(mode)
        try:
            yield
        finally:
            self._set(before)

    def _set(self, mode: int) -> None:
        if self._file >= 0 and self._mode != fcntl.LOCK_UN:
            with contextlib.suppress(RuntimeError):  # a fault, which whoever asks for results is told
                torch.cuda.synchronize()
        self._mode = mode
        if self._file < 0:
            return
        fcntl.flock(self._file, fcntl.LOCK_UN)  # who kept a turn while it waits in the gate could be waited for there
        if mode != fcntl.LOCK_UN:
            asked = time.monotonic()
            fcntl.flock(self._gate, fcntl.LOCK_EX)
            try:
                fcntl.flock(self._file, mode)
            finally:
                fcntl.flock(self._gate, fcntl.LOCK_UN)
            self._since = time.monotonic()
            self._waited = self._since - asked


#: Nobody waits for a CPU.
NO_TURNS = DeviceLock(torch.device("cpu"))


def _opened(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
