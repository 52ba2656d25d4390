"""Instruments: what watches a pipeline run. Passes do not print, time, verify or save; these do."""

# ruff: noqa: ARG002 (an instrument takes the whole event and uses what it needs)

import difflib
import shlex
import sys
import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TextIO

from kernelwright.ir.errors import PassError
from kernelwright.ir.passes import Declined, Pass
from kernelwright.ir.printer import print_module
from kernelwright.ir.spec import pass_spec
from kernelwright.ir.values import KernelModule, Level


class Instrument:
    """Watches a run; the base class does nothing."""

    def before_pass(self, pass_: Pass, module: KernelModule) -> None:
        """Called before each pass, with its input."""

    def after_pass(self, pass_: Pass, before: KernelModule, after: KernelModule) -> KernelModule:
        """Called after each pass, with input and result (the same object where nothing changed).

        Returns the module to go on with: `after`, at most with its last record changed.
        """
        return after

    def failed_pass(self, pass_: Pass, module: KernelModule, error: Exception) -> None:
        """Called when a pass, or an instrument after it, raised; `module` is the pass's input."""


class VerificationFailed(PassError):  # noqa: N818 (a finding about a module rather than a fault of the framework)
    """A pass returned a module that the evaluator refused; carries the verdict and that module."""

    def __init__(self, pass_: Pass, module: KernelModule, verdict: Any) -> None:
        self.pass_, self.module, self.verdict = pass_, module, verdict
        super().__init__(f"pass {pass_.name} on @{module.name}: the result is not verified: {verdict}")


class ModuleEvaluator(Protocol):
    """The part of an evaluator that `Verify` needs; verdicts have `ok` and print as text."""

    def evaluate(self, module: KernelModule) -> Any:
        """Judge a module."""


class Verify(Instrument):
    """Judges every module that a pass changed, stamps the verdict into its last record, stops at a bad one.

    `verdicts` maps the digests of judged modules to their verdicts.
    """

    def __init__(self, evaluator: ModuleEvaluator) -> None:
        self.evaluator = evaluator
        self.verdicts: dict[str, Any] = {}

    def after_pass(self, pass_: Pass, before: KernelModule, after: KernelModule) -> KernelModule:
        if after is before or after.level is Level.TORCH:
            return after
        verdict = self.evaluator.evaluate(after)
        self.verdicts[after.digest] = verdict
        record = replace(after.provenance[-1], verdict=str(verdict))
        after = replace(after, provenance=(*after.provenance[:-1], record))
        if not verdict.ok:
            raise VerificationFailed(pass_, after, verdict)
        return after


class PrintIrAfter(Instrument):
    """Prints the module after each of the named passes, or after every pass (`"all"`)."""

    def __init__(self, names: Collection[str] = ("all",), stream: TextIO | None = None) -> None:
        self.names, self.stream = names, stream

    def after_pass(self, pass_: Pass, before: KernelModule, after: KernelModule) -> KernelModule:
        if "all" in self.names or pass_.name in self.names:
            (self.stream or sys.stderr).write(f"# ---- after {pass_.name}\n{print_module(after)}\n")
        return after


class Diff(Instrument):
    """Prints a unified diff of the module's text for each pass that changed it."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream

    def after_pass(self, pass_: Pass, before: KernelModule, after: KernelModule) -> KernelModule:
        old, new = print_module(before).splitlines(), print_module(after).splitlines()
        lines = difflib.unified_diff(old, new, f"before {pass_.name}", f"after {pass_.name}", lineterm="")
        for line in lines:
            (self.stream or sys.stderr).write(f"{line}\n")
        return after


class Declines(Instrument):
    """Prints why passes left kernels as they were, a line each. The passes' context has `take` as its `declined`."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream
        self._found: list[Declined] = []

    def take(self, why: Declined) -> None:
        """Keep a reason that the running pass gives."""
        self._found.append(why)

    def before_pass(self, pass_: Pass, module: KernelModule) -> None:
        self._found = []

    def after_pass(self, pass_: Pass, before: KernelModule, after: KernelModule) -> KernelModule:
        for why in dict.fromkeys(self._found):
            where = f" @{why.kernel}" if why.kernel else ""
            (self.stream or sys.stderr).write(f"{pass_.name}{where}: {why.reason}\n")
        return after


class Time(Instrument):
    """Measures each pass: `seconds` lists (pass name, seconds). Put it first to time the pass alone."""

    def __init__(self) -> None:
        self.seconds: list[tuple[str, float]] = []
        self._start = 0.0

    def before_pass(self, pass_: Pass, module: KernelModule) -> None:
        self._start = time.perf_counter()

    def after_pass(self, pass_: Pass, before: KernelModule, after: KernelModule) -> KernelModule:
        self.seconds.append((pass_.name, time.perf_counter() - self._start))
        return after


class Dump(Instrument):
    """Writes each stage into `folder`: `00-import.py`, then `01-<pass>.py` and so on."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.paths: list[Path] = []

    def before_pass(self, pass_: Pass, module: KernelModule) -> None:
        if not self.paths:
            self._write("import", module)

    def after_pass(self, pass_: Pass, before: KernelModule, after: KernelModule) -> KernelModule:
        self._write(pass_.name, after)
        return after

    def failed_pass(self, pass_: Pass, module: KernelModule, error: Exception) -> None:
        if isinstance(error, VerificationFailed):
            self._write(f"{pass_.name}-refused", error.module)

    def _write(self, stage: str, module: KernelModule) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{len(self.paths):02d}-{stage}.py"
        path.write_text(print_module(module), encoding="utf-8")
        self.paths.append(path)


class Reproducer(Instrument):
    """When a pass fails, writes its input to `reproduce.py` and the command to run it to `reproduce.sh`.

    `overrides` are configuration overrides that the command needs, such as `target=h100`.
    """

    def __init__(self, folder: Path, overrides: Sequence[str] = ()) -> None:
        self.folder, self.overrides = folder, tuple(overrides)

    def failed_pass(self, pass_: Pass, module: KernelModule, error: Exception) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "reproduce.py").write_text(print_module(module), encoding="utf-8")
        verify = ("--verify",) if isinstance(error, VerificationFailed) else ()
        command = ("kernelwright", "opt", "reproduce.py", "-p", pass_spec(pass_), *verify, *self.overrides)
        reason = "".join(f"# {line}\n" for line in str(error).splitlines())
        script = f'#!/bin/sh\n{reason}cd "$(dirname "$0")" && {shlex.join(command)}\n'
        (self.folder / "reproduce.sh").write_text(script, encoding="utf-8")
