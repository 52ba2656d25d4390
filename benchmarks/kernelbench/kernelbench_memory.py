"""Share the device's memory between problems: one that needs more than is free waits, instead of failing."""

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch

from kernelwright.ir.values import Reference

#: What a problem takes for each byte of its inputs, state and outputs (several draws, copies, a pass in fp64: 3.3 to
#: 4.7 bytes were seen), and for the contexts of its processes.
PER_BYTE, CONTEXTS = 5, 3 << 30
_WAIT_SECONDS = 0.2


def device_bytes() -> int:
    """The device's memory; 0 where nothing needs any."""
    if not torch.cuda.is_available():
        return 0
    return int(torch.cuda.get_device_properties(torch.cuda.current_device()).total_memory)


def need_of(reference: Reference) -> int:
    """Bytes of the device that searching or measuring a problem is estimated to take."""
    return PER_BYTE * sum(spec.nbytes for spec in (*reference.tensors, *reference.outputs)) + CONTEXTS


@dataclass(frozen=True)
class Shares:
    """What processes have taken of `total` bytes: a file that they share knows it by their ids. A process that has
    ended has none; 0 bytes in all bound nothing."""

    total: int
    ledger: Path

    @contextlib.contextmanager
    def of(self, need: int) -> Iterator[None]:
        """Wait until so much is left, or all where that is less, and have it meanwhile."""
        while not self._set(min(need, self.total)):
            time.sleep(_WAIT_SECONDS)
        try:
            yield
        finally:
            self._set(0)

    def _set(self, share: int) -> bool:
        """Have this share from now on; False where too little is left."""
        with self.ledger.open("a+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            taken = json.loads(file.read() or "{}")
            others = {pid: size for pid, size in taken.items() if int(pid) != os.getpid() and _lives(int(pid))}
            if sum(others.values()) + share > self.total:
                return False
            file.truncate(0)
            file.write(json.dumps(others | {str(os.getpid()): share}))
            return True


def _lives(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()
