"""Verdicts, and the protocol of evaluators."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from kernelwright.ir.errors import Diagnostic
from kernelwright.ir.notebook import html_table
from kernelwright.ir.values import KernelModule, Resources


class Status(StrEnum):
    """The status of a verdict."""

    OK = "ok"
    UNPARSED = "unparsed"
    COMPILE_ERROR = "compile_error"
    RUNTIME_ERROR = "runtime_error"
    MISMATCH = "mismatch"
    TIMEOUT = "timeout"
    CHEAT = "cheat"
    HOST_COMPUTES = "host_computes"
    UNSUPPORTED = "unsupported"


class Rung(StrEnum):
    """The steps of the evaluation ladder, in order."""

    PARSE = "parse"
    COMPILE = "compile"
    INTERPRET = "interpret"
    RUN = "run"
    TIME = "time"
    PROFILE = "profile"


#: The rungs that need a GPU.
ON_GPU = (Rung.RUN, Rung.TIME, Rung.PROFILE)


@dataclass(frozen=True)
class Verdict:
    """The outcome of an evaluation.

    `rung` is the rung that failed, or the last rung if the status is ok. `rungs` lists the passed rungs. `errors` maps
    error names (`rms`, `max`) to values relative to the gold's RMS, the worst over outputs and seeds. `resources` maps
    kernel symbols to their resources. `times_ms` maps `candidate`, `eager`, … to medians. `caliber` holds the
    conditions of the evaluation: device, versions, draws and so on.
    """

    status: Status
    rung: Rung
    detail: str = ""
    rungs: tuple[Rung, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    errors: Mapping[str, float] = field(default_factory=dict)
    resources: Mapping[str, Resources] = field(default_factory=dict)
    times_ms: Mapping[str, float] = field(default_factory=dict)
    shrunken: bool = False
    caliber: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether every rung asked for was passed."""
        return self.status is Status.OK

    def __str__(self) -> str:
        note = " at shrunken shapes" if self.shrunken else ""
        return f"{self.status}@{self.rung}{note}" + (f": {self.detail}" if self.detail else "")

    def _repr_html_(self) -> str:
        rows = [("status", self.status), ("rungs passed", ", ".join(self.rungs)), ("detail", self.detail)]
        rows += [(f"error {name}", f"{value:.2g}") for name, value in self.errors.items()]
        rows += [(f"{name}, ms", f"{value:.4g}, measured") for name, value in self.times_ms.items()]
        rows += [(name, str(value)) for name, value in self.caliber.items()]
        note = "" if self.times_ms else "nothing was timed"
        return html_table(str(self), ("", ""), [row for row in rows if row[1]], (note, *map(str, self.diagnostics)))


_ALWAYS = frozenset((Status.OK, Status.UNPARSED, Status.MISMATCH, Status.CHEAT, Status.HOST_COMPUTES))
#: Where the program's own line is named; else it may have been the machine.
_WITH_PLACE = frozenset((Status.COMPILE_ERROR, Status.RUNTIME_ERROR))


def repeats(verdict: Verdict) -> bool:
    """Whether another evaluation would give the same verdict, except for times. It might not if the verdict comes from
    a time limit, a memory limit or a broken machine."""
    return verdict.status in _ALWAYS or (verdict.status in _WITH_PLACE and bool(verdict.diagnostics))


class Evaluator(Protocol):
    """Judges modules. A bad candidate is a verdict; a broken framework raises."""

    def evaluate(self, module: KernelModule, rungs: tuple[Rung, ...] | None = None) -> Verdict:
        """Climb the ladder up to the given rungs (None: all that this machine has)."""
        ...
