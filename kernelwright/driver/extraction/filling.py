"""Fills the store of replacements from recorded kernels: each gets an answer that was judged against aten, or a reason.

Inductor's own kernel is judged too. One that gives other values than aten, on random draws and on those that the model
really has, is kept as a finding.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from kernelwright.agent.evaluator import Status, Verdict
from kernelwright.backend.store.entry import Entry, Versions
from kernelwright.backend.store.store import Store
from kernelwright.backend.targets import get_target
from kernelwright.driver.compiling.program import compile_module
from kernelwright.driver.extraction.findings import Comparison, operations
from kernelwright.evaluation.sandbox.parent import Limits
from kernelwright.frontend.swap.graphs import RecordedGraph
from kernelwright.frontend.swap.problem import own_kernel, problem
from kernelwright.frontend.swap.recorded import Recorded
from kernelwright.frontend.swap.replacement import replacement
from kernelwright.frontend.swap.running import for_sizes
from kernelwright.frontend.swap.stored import arguments_of
from kernelwright.ir.errors import KernelwrightError, LoweringError
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import Pipeline
from kernelwright.ir.printer import print_module
from kernelwright.ir.values import KernelModule

#: The passes of an answer that is as precise as Inductor's own kernel, which rounds only what it stores.
ANSWER = "lower-inductor{rounded=false}"
#: stored: a replacement is in the store now. known: something was there before. wrong: Inductor's kernel is, which the
#: store says now. refused: no answer was verified. left out: there is no problem to answer.
Became = Literal["stored", "known", "wrong", "refused", "left out"]


@dataclass(frozen=True)
class Outcome:
    """What became of a recorded kernel, and why."""

    key: str
    name: str
    became: Became
    why: str = ""


def begun(kernel: Recorded, graph: RecordedGraph, target: str) -> KernelModule:
    """The problem of a kernel with Inductor's own kernel in it, where that has a plain form. Raises LoweringError."""
    module = problem(kernel, graph.spreads)
    try:
        return own_kernel(kernel, module, target)
    except KernelwrightError:
        return module


def entry_of(
    kernel: Recorded, graph: RecordedGraph, target: str, module: KernelModule, verdict: Verdict, pipeline: str
) -> Entry:
    """What the store keeps of a verified answer, for a target as the store names it. Raises LoweringError for a module
    that cannot take the kernel's place, or on a GPU only as host code, which costs the host more than Inductor's
    launch."""
    made = replacement(kernel, module)
    if made.form == "host" and target != "interpreter":
        raise LoweringError(f"{kernel.name}: an answer that is not one launch costs the host more than Inductor's")
    told = _certificate(verdict, pipeline, digest=module.digest)
    told["inputs"] = "drawn like the model's own values" if graph.spreads else "drawn from normal distributions"
    return _entry(
        kernel,
        target,
        kind="replacement",
        module=print_module(module),
        replacement=made.text,
        form=made.form,
        order=made.order,
        arguments=arguments_of(kernel),
        sizes=tuple((name, (number,)) for name, number in kernel.numbers.items()),
        certificate=told,
    )


def _entry(kernel: Recorded, target: str, **content: Any) -> Entry:
    return Entry(kernel.key, target, Versions.installed(), name=kernel.name, source=kernel.source, **content)


def _certificate(verdict: Verdict, pipeline: str, **more: Any) -> dict[str, Any]:
    """What was tested, and on what."""
    return {
        "claim": "correct",
        "verdict": str(verdict),
        "rungs": [str(rung) for rung in verdict.rungs],
        "errors": dict(verdict.errors),
        "caliber": dict(verdict.caliber),
        "pipeline": pipeline,
        **more,
    }


def stored_as(target: str) -> str:
    """A target as the store names it."""
    return target if target == "interpreter" else f"sm_{get_target(target).capability}"


@dataclass
class Filling:
    """Answers kernels by a pipeline and keeps what is verified in the store, for the context's target."""

    store: Store
    pipeline: Pipeline
    context: Context
    limits: Limits = field(default_factory=Limits)
    say: Callable[[str], None] = lambda _line: None
    #: Judge no more kernels than this; None: all.
    most: int | None = None

    @property
    def target(self) -> str:
        """The target as the store names it."""
        return stored_as(self.context.target)

    def fill(self, graphs: Iterable[RecordedGraph]) -> Iterator[Outcome]:
        """What becomes of each kernel of the graphs, those that occur several times once. `most` stops after so many
        that were judged."""
        seen, judged = set[str](), 0
        for graph in graphs:
            for kernel in graph.kernels:
                if kernel.sized_key in seen or kernel.parts:
                    continue
                if kernel.key:
                    seen.add(kernel.sized_key)
                if self.most is not None and judged >= self.most and kernel.graph is not None:
                    continue
                self.say(kernel.name)
                outcome = self.one(kernel, graph)
                judged += outcome.became in ("stored", "wrong", "refused", "known")
                yield outcome

    def one(self, kernel: Recorded, graph: RecordedGraph) -> Outcome:
        """What becomes of one kernel."""
        if kernel.graph is None:
            return Outcome(kernel.key, kernel.name, "left out", kernel.why_not)
        known = self.store.candidates(kernel.key, self.target, Versions.installed())
        if (entry := for_sizes(known, kernel.numbers)) is not None:
            became: Became = "wrong" if entry.kind == "wrong" else "known"
            return Outcome(kernel.key, kernel.name, became, entry.operation or entry.form)
        if found := self._wrong(kernel, graph):
            return Outcome(kernel.key, kernel.name, "wrong", found)
        try:
            module = problem(kernel, graph.spreads)
            result = compile_module(module, self.pipeline, self.context)
            if not result.ok or result.verdict is None:
                return Outcome(kernel.key, kernel.name, "refused", f"{result.verdict}")
            entry = entry_of(kernel, graph, self.target, result.module, result.verdict, str(self.pipeline))
        except KernelwrightError as error:
            return Outcome(kernel.key, kernel.name, "refused", str(error).splitlines()[0])
        if self.store.put(entry):
            return Outcome(kernel.key, kernel.name, "stored", entry.form)
        return Outcome(kernel.key, kernel.name, "refused", self.store.trouble)

    def _wrong(self, kernel: Recorded, graph: RecordedGraph) -> str:
        """The operations that Inductor's own kernel gets wrong, which the store then knows; "" if it is right on the
        model's own values, or if it cannot be judged."""
        comparison = Comparison(self.context.target, self.limits)
        verdict, values = comparison.verdict(kernel, graph), graph.values(kernel)
        if verdict is None or verdict.status is not Status.MISMATCH or kernel.graph is None or values is None:
            return ""
        wrong = comparison.wrong(kernel.graph, values)
        operation = ", ".join(wrong or operations(kernel.graph))
        told = _certificate(
            verdict,
            str(self.pipeline),
            claim="Inductor's kernel differs from aten",
            inputs="the model's own values",
            operations="those that differ" if wrong else "all of the kernel's",
            detail=verdict.detail,
        )
        self.store.put(_entry(kernel, self.target, kind="wrong", operation=operation, certificate=told))
        return operation
