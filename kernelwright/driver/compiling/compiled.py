"""A compiled program as a value, which is also a function if its kernels are verified."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from kernelwright.agent.evaluator import Verdict
from kernelwright.backend.reference.program import ReferenceProgram
from kernelwright.backend.reference.structure import put_together
from kernelwright.backend.tensors import Value, spec_of
from kernelwright.driver.compiling.emit import check_emit, emit
from kernelwright.driver.compiling.live_model import LiveModel
from kernelwright.driver.compiling.report import report_html, summary_line
from kernelwright.driver.compiling.running import open_run
from kernelwright.driver.compiling.stages import CompileResult
from kernelwright.evaluation.sandbox.parent import Limits
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import KernelModule, Level, ScalarSpec, TensorSpec


@dataclass(frozen=True)
class Compiled:
    """The result of compiling a program.

    `result` holds the final module with its stages. `report` is the content of `report.json` (seconds, `times_ms` in
    milliseconds, `estimated_us` in microseconds). `folder` is the run folder, or None if the call named none.

    Called with forward's arguments, it runs the verified kernels on this machine's GPU. Without a GPU the guarded
    interpreter runs them, which suits small sizes only. A live model's weights are read at each call; a program from a
    file has the weights of seed 0. The arguments must have the shapes, dtypes and numbers that were compiled for.
    """

    result: CompileResult
    report: Mapping[str, Any]
    folder: Path | None = None
    live: LiveModel | None = field(default=None, repr=False)
    limits: Limits = field(default_factory=Limits, repr=False)

    @property
    def module(self) -> KernelModule:
        """The final module; if the verdict is not ok, the rejected module."""
        return self.result.module

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on the final module; None if no pass changed the module, because then nothing was judged."""
        return self.result.verdict

    @property
    def ok(self) -> bool:
        """Whether the module was judged and found right."""
        return self.result.ok

    @property
    def specialized_to(self) -> str:
        """The shapes, dtypes and numbers that the kernels were compiled for, in words."""
        told = ", ".join(map(_annotated, self.module.reference.inputs))
        return told if self.live is None else f"{told}; {self.live.frozen}"

    def emit(self, what: str = "triton") -> str:
        """The module's text as `triton`, `kernelbench`, `standalone`, `ttir`, `ttgir`, `llir` or `ptx`.

        Raises UserError for another word, and for lowered text of a module without kernels.
        """
        return emit(self.module, check_emit(what), self.report["target"])

    def __call__(self, *inputs: Value) -> Any:
        """The outputs in the form in which forward returns them. Raises UserError where the module is not verified or
        the arguments are others than it was compiled for."""
        if not self.ok or self.module.level is Level.TORCH:
            raise UserError(f"@{self.module.name} has no verified kernels to call: {summary_line(self.report)}")
        values = inputs if self.live is None else self.live.lifted(inputs)
        outputs = self._run(fitted(self.module, values))
        return put_together(self.module.reference.returns, outputs)

    @cached_property
    def _run(self) -> Callable[[Sequence[Value]], tuple[Tensor, ...]]:
        run, reference = open_run(self.module, self.limits), self.module.reference
        if not reference.state:
            return lambda values: run(values, {})
        program = ReferenceProgram.load(reference)
        state = program.state(program.build(0, "cuda" if torch.cuda.is_available() else "cpu"))
        return lambda values: run(values, state)

    def __str__(self) -> str:
        return f"@{self.module.name} for {self.report['target']}: {summary_line(self.report)}"

    def _repr_html_(self) -> str:
        return report_html(self.report)


def fitted(module: KernelModule, values: Sequence[Value]) -> list[Value]:
    """The values in the layouts that the module's kernels read.

    Raises UserError, which names the input, where one is of another shape, dtype or number than was compiled for.
    """
    specs = module.reference.inputs
    if len(values) != len(specs):
        raise UserError(f"@{module.name} takes {len(specs)} inputs, {len(values)} given")
    return [_fitted(module.name, spec, value) for spec, value in zip(specs, values, strict=True)]


def _fitted(name: str, spec: TensorSpec | ScalarSpec, value: Value) -> Value:
    if isinstance(spec, ScalarSpec):
        if value != spec.value:
            raise UserError(f"@{name} was compiled for {_annotated(spec)}, {value!r} given; compile it for both")
        return value
    given = spec_of(spec.name, value) if isinstance(value, Tensor) else None
    if given is None or (given.shape, given.dtype) != (spec.shape, spec.dtype):
        told = type(value).__name__ if given is None else given.annotation
        raise UserError(f"@{name} was compiled for {_annotated(spec)}, {told} given; compile it for these inputs too")
    assert isinstance(value, Tensor)
    if given.strides == spec.strides:
        return value.detach()
    if any(step == 0 and size > 1 for size, step in zip(spec.shape, spec.strides, strict=True)):
        raise UserError(
            f"@{name} was compiled for {_annotated(spec)}, {given.annotation} given; expand the input in the same way"
        )
    laid_out = torch.empty_strided(spec.shape, spec.strides, dtype=value.dtype, device=value.device)
    return laid_out.copy_(value.detach())


def _annotated(spec: TensorSpec | ScalarSpec) -> str:
    return f"{spec.name}={spec.value!r}" if isinstance(spec, ScalarSpec) else f"{spec.name}: {spec.annotation}"
