"""Progress of a pipeline: what runs now, and one line for each stage that is done."""

import time
from types import TracebackType

from rich.console import Console

from kernelwright.driver.run.activity import Activity
from kernelwright.ir.instruments import Instrument, VerificationFailed
from kernelwright.ir.passes import Pass
from kernelwright.ir.values import KernelModule
from kernelwright.ir.verifier import launched


class Progress(Instrument):
    """An instrument that shows the running pass on `console`; use it as a context manager.

    With `stages` false there is no line for a stage that is done.
    """

    def __init__(self, console: Console, stages: bool = True) -> None:
        self.stages = stages
        self.activity = Activity(console, "import")
        self.stage, self._start = "", time.perf_counter()

    def __enter__(self) -> "Progress":
        self.activity.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.activity.__exit__(kind, error, trace)

    def say(self, line: str) -> None:
        """Show what is going on within the stage."""
        self.activity.show(f"{self.stage}: {line}" if self.stage else line)

    def before_pass(self, pass_: Pass, module: KernelModule) -> None:
        if not self.stage:
            self._line("import", f"@{module.name}, level {module.level}")
        self.stage, self._start = pass_.name, time.perf_counter()
        self.activity.show(pass_.name)

    def after_pass(self, pass_: Pass, before: KernelModule, after: KernelModule) -> KernelModule:
        changed = f"{after.provenance[-1].verdict}" if after is not before else "unchanged"
        self._line(pass_.name, f"{changed or 'not judged'}, kernels: {len(launched(after))}")
        return after

    def failed_pass(self, pass_: Pass, module: KernelModule, error: Exception) -> None:
        del module
        what = f"refused: {error.verdict}" if isinstance(error, VerificationFailed) else "failed"
        self._line(pass_.name, what)

    def _line(self, stage: str, what: str) -> None:
        if not self.stages:
            return
        seconds = time.perf_counter() - self._start
        self.activity.say(f"  {stage:16} {seconds:6.1f} s  {what}")
