"""What a compilation did, stage by stage."""

import time
from dataclasses import dataclass

from kernelwright.agent.evaluator import Verdict
from kernelwright.driver.compiling.kernel_by_kernel import KernelVerdicts
from kernelwright.ir.instruments import Instrument, VerificationFailed, Verify
from kernelwright.ir.passes import Pass
from kernelwright.ir.spec import pass_spec
from kernelwright.ir.values import KernelModule


@dataclass(frozen=True)
class Stage:
    """What one pass did. `seconds` includes verification; `verdict` is of `module`, None if never judged."""

    name: str
    spec: str
    module: KernelModule
    seconds: float
    changed: bool
    verdict: Verdict | None


@dataclass(frozen=True)
class CompileResult:
    """The outcome: the final module, or the one that was refused where the verdict is not ok.

    `verdict` is None where no pass changed the module, so that nothing was judged. `alone`: the verdicts on its kernels
    one by one; None if nobody asked for them, or the module as a whole is not verified.
    """

    module: KernelModule
    verdict: Verdict | None
    stages: tuple[Stage, ...]
    seconds: float
    alone: KernelVerdicts | None = None

    @property
    def ok(self) -> bool:
        """Whether the module was judged and found right."""
        return self.verdict is not None and self.verdict.ok


class StageLog(Instrument):
    """Collects stages as they end."""

    def __init__(self, verify: Verify) -> None:
        self.verify = verify
        self.stages: list[Stage] = []
        self._start = 0.0

    def before_pass(self, pass_: Pass, module: KernelModule) -> None:
        del pass_, module
        self._start = time.perf_counter()

    def after_pass(self, pass_: Pass, before: KernelModule, after: KernelModule) -> KernelModule:
        self._add(pass_, after, after is not before)
        return after

    def failed_pass(self, pass_: Pass, module: KernelModule, error: Exception) -> None:
        del module
        if isinstance(error, VerificationFailed):
            self._add(pass_, error.module, changed=True)

    def _add(self, pass_: Pass, module: KernelModule, changed: bool) -> None:
        seconds, verdict = time.perf_counter() - self._start, self.verify.verdicts.get(module.digest)
        self.stages.append(Stage(pass_.name, pass_spec(pass_), module, seconds, changed, verdict))
