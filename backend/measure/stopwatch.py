"""Measured microseconds of modules and of their kernels, taken in a child process that outlives what breaks in it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kernelwright.backend.measure.bench import WHOLE, close_bench, draw, measure, open_bench
from kernelwright.backend.measure.children import Child
from kernelwright.backend.measure.pool import BENCH
from kernelwright.ir.errors import KernelwrightError
from kernelwright.ir.values import KernelModule, Reference

#: Seconds that drawing inputs and running the plain module may take, and giving the memory back.
OPEN_SECONDS, CLOSE_SECONDS = 60.0, 10.0


class NoBenchError(KernelwrightError):
    """The module that others are compared with does not run."""


@dataclass(frozen=True)
class Measured:
    """Microseconds by kernel (WHOLE: of the call), or the `failure` of the module in words.

    `lost`: it took the process with it, by a fault or by taking too long.
    """

    us: Mapping[str, float] = field(default_factory=dict)
    failure: str = ""
    lost: bool = False

    @property
    def whole_us(self) -> float:
        """Of the call; infinite where it failed."""
        return self.us.get(WHOLE, math.inf)


def begin_drawing(child: Child, reference: Reference, seed: int, device: str = "cuda") -> None:
    """Have a child draw inputs and weights before there is a module to measure; a Stopwatch has to follow."""
    child.begin((draw, (reference, seed, device)), OPEN_SECONDS)


class Stopwatch:
    """Measures modules of one reference against `plain`, whose outputs are what is right.

    `seconds` is what one module may take. Caches are cold, or with `warm` as another run leaves them. The child is
    `child`, where that is given, and one of its own otherwise; `drawing`: after `begin_drawing`. Close it, or use it
    as a context manager.
    """

    def __init__(
        self,
        plain: KernelModule,
        seed: int,
        device: str = "cuda",
        seconds: float = 15.0,
        child: Child | None = None,
        warm: bool = False,
        drawing: bool = False,
    ) -> None:
        self._drawing = drawing
        self.plain, self.seconds = plain, seconds
        self.replaced = 0
        self._opening = open_bench, (plain, seed, device, warm)
        self._lent = child is not None
        self._child = child or Child((BENCH,))
        self._opened = False

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._child.pid

    def measure(
        self,
        module: KernelModule,
        symbols: Sequence[str] = (WHOLE,),
        best_us: float = math.inf,
        budget: float = 1.0,
    ) -> Measured:
        """Run, compare and time a module: its whole call, or some of its kernels; nothing is raised that it causes.

        `best_us` is the time to beat, by which hopeless ones are soon let go; `budget` multiplies the number of runs.
        Raises NoBenchError where not even the plain module runs.
        """
        self._open()
        found = self._child.do((measure, (module, tuple(symbols), best_us, budget)), self.seconds)
        if found.lost:
            self._opened, self.replaced = False, self.replaced + 1
        if found.failure:
            return Measured(failure=found.failure, lost=found.lost)
        return Measured(dict(zip(symbols, found.value, strict=True)))

    def close(self) -> None:
        """End the child, or have one that was lent give back memory; idempotent."""
        if not self._lent:
            self._child.close()
        elif self._opened or self._drawing:
            self._await_drawing()
            self._opened = False
            self._child.do((close_bench, ()), CLOSE_SECONDS)

    def __enter__(self) -> "Stopwatch":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _open(self) -> None:
        if self._opened:
            return
        self._await_drawing()
        found = self._child.do(self._opening, OPEN_SECONDS)
        if found.failure:
            raise NoBenchError(f"@{self.plain.name} cannot be measured: {found.failure}")
        self._opened = True

    def _await_drawing(self) -> None:
        """Where that failed, opening the bench will tell why."""
        while self._drawing and self._child.outcome(OPEN_SECONDS) is None:
            pass
        self._drawing = False
