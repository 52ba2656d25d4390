"""One candidate's way up the ladder of rungs, and the verdict at its end."""

import statistics
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from kernelwright.agent.evaluator import ON_GPU, Rung, Status, Verdict
from kernelwright.evaluation.checks.profile import report
from kernelwright.evaluation.inputs.draws import NAMED
from kernelwright.evaluation.inputs.thresholds import thresholds
from kernelwright.evaluation.judge.calls import Calls
from kernelwright.evaluation.judge.comparison import check_samples
from kernelwright.evaluation.judge.constants import unread
from kernelwright.evaluation.judge.program import Program
from kernelwright.evaluation.judge.truth import Truth
from kernelwright.evaluation.protocol.answers import (
    CandidateProfiled,
    CandidateRan,
    CompiledKernels,
    Failing,
    OffsetsFit,
    TimeEstimate,
)
from kernelwright.evaluation.protocol.kernel_text import leaves_lanes_open
from kernelwright.evaluation.protocol.wire import RawTensor
from kernelwright.evaluation.sandbox.parent import Answer
from kernelwright.ir.errors import Diagnostic
from kernelwright.ir.values import Reference, Resources, TensorSpec
from kernelwright.ir.verifier import verify

if TYPE_CHECKING:
    from kernelwright.evaluation.judge.local import LocalEvaluator

#: Python 3.11's `ast` keeps its depth in one place for all threads, and fails where two of them build trees.
SYNTAX = threading.RLock()
#: What Triton says of a descriptor of memory that begins elsewhere than at a multiple of 16 bytes.
_UNALIGNED = "base must be 16-byte aligned"
_FAILURES = {
    Failing.COMPILE_ERROR: Status.COMPILE_ERROR,
    Failing.RUNTIME_ERROR: Status.RUNTIME_ERROR,
    Failing.UNSUPPORTED: Status.UNSUPPORTED,
    Failing.CHEAT: Status.CHEAT,
    Failing.HOST_COMPUTES: Status.HOST_COMPUTES,
    Failing.MISMATCH: Status.MISMATCH,
    Failing.MEMORY: Status.RUNTIME_ERROR,
}


@dataclass
class Climb:
    """One candidate's way up the ladder, and what was learnt on it. `larger`: its reference at larger sizes, and
    `sizes` those of them that it was found right at; `own_sizes`: those at which its offsets were."""

    owner: "LocalEvaluator"
    program: Program
    wanted: tuple[Rung, ...]
    larger: tuple[Reference, ...] = ()
    sizes: tuple[str, ...] = ()
    own_sizes: str = ""
    calls: Calls = field(init=False)
    resources: Mapping[str, Resources] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    walls: tuple[str, ...] = ()
    draws: Mapping[str, Any] = field(default_factory=dict)
    times_ms: Mapping[str, float] = field(default_factory=dict)
    timing: Mapping[str, Any] = field(default_factory=dict)
    profile: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.calls = Calls(self.program, self.owner.repeats)

    def step(self, rung: Rung) -> Verdict | None:
        """Try one rung; the verdict where it failed."""
        steps = {Rung.PARSE: self._parse, Rung.COMPILE: self._compile}
        steps |= {Rung.TIME: self._time, Rung.PROFILE: self._profile}
        return steps.get(rung, self._call)(rung)

    def verdict(
        self, status: Status, rung: Rung, detail: str = "", diagnostics: tuple[Diagnostic, ...] = ()
    ) -> Verdict:
        """The outcome with all that is known so far."""
        passed = self.wanted if status is Status.OK else self.wanted[: self.wanted.index(rung)]
        if rung is Rung.RUN and status is not Status.OK and not self.resources:
            passed = tuple(one for one in passed if one is not Rung.COMPILE)
        measured = {"rms": self.calls.findings.rms, "max": self.calls.findings.max} if self.calls.passes else {}
        return Verdict(
            status=status,
            rung=rung,
            detail=detail,
            rungs=passed,
            diagnostics=diagnostics,
            errors=measured,
            resources=self.resources,
            times_ms=self.times_ms,
            shrunken=self.program.reference.shrunken,
            caliber=self._caliber(),
        )

    def _caliber(self) -> dict[str, Any]:
        facts = dict(self.owner.machine.facts)
        if not set(ON_GPU) & set(self.wanted):
            facts |= {"device": "interpreter", "driver": ""}
        tolerance, numerics = self.program.reference.tolerance, self.program.reference.numerics
        return facts | {
            "numerics": numerics,
            "tf32": numerics != "ieee",
            "compile_target": self.owner.compile_target if Rung.COMPILE in self.wanted else "",
            "seeds": self.owner.seeds,
            "checks": self.owner.strength,
            "passes": self.calls.passes,
            "tolerance": tolerance.kind,
            "dialect": self.owner.dialect,
            "certifies": "calls" if self.program.module is None else "program",
            **({"rehearsals": self.owner.rehearsals} if self.owner.rehearsals else {}),
            "layouts": "as get_inputs() and the model give them",
            "shrunken": self.program.reference.shrunken,
            **({"larger_sizes": list(self.sizes)} if self.sizes else {}),
            **({"offsets_at": self.own_sizes} if self.own_sizes else {}),
            "rungs": list(map(str, self.wanted)),
            "walls": list(self.walls),
            "notes": [*self.notes, *self.calls.notes],
            "draws": dict(self.draws),
            **({"timing": dict(self.timing)} if self.timing else {}),
            **({"profile": dict(self.profile)} if self.profile else {}),
            **({"determinism": dict(self.calls.runs)} if self.calls.runs else {}),
        }

    def _parse(self, rung: Rung) -> Verdict | None:
        if self.program.module is None:
            return None
        with SYNTAX:
            diagnostics = verify(self.program.module)
        if not diagnostics:
            return None
        return self.verdict(Status.UNPARSED, rung, summary(diagnostics), diagnostics)

    def _compile(self, rung: Rung) -> Verdict | None:
        if self.owner.compiles_in(self.wanted) is not rung:
            return None
        answer = self.owner.compiled(self.program)
        if isinstance(answer.content, CompiledKernels):
            self.resources = answer.content.resources
            return None
        failed = self._failure(answer, rung)
        ours = self.program.module is not None and failed.status is Status.RUNTIME_ERROR
        return replace(failed, status=Status.COMPILE_ERROR) if ours else failed

    def _call(self, rung: Rung) -> Verdict | None:
        truth = self.owner.truth(self.program.reference, rung).of_form(self.program.form)
        if truth.failure:
            return self.verdict(truth.status, rung, truth.failure)
        self.notes = (*truth.notes, *self._constants(truth))
        self.draws = {
            "made": [one.draw.name for one in truth.passes],
            "left_out": list(truth.left_out),
            "kept": {name: list(traits) for name, traits in truth.held.items()},
        }
        wrong = self._called(truth, rung) or self._called_around(truth, rung) or self._called_larger(rung)
        return wrong or self._overflowing(rung)

    def _constants(self, truth: Truth) -> tuple[str, ...]:
        """What to say of constants that a program in the dialect does not read, though the reference does."""
        if self.program.module is None:
            return ()
        with SYNTAX:
            paths = unread(self.program.text, self.program.reference, truth.module)
        return tuple(f"constant {path} is not read: right for the values that it begins with" for path in paths)

    def _called_around(self, truth: Truth, rung: Rung) -> Verdict | None:
        """The same on inputs around the numbers that the candidate itself names, where draws are not limited."""
        module = self.program.module
        numbers = thresholds(module) if module and truth.sketch is None and self.owner.strength == "default" else ()
        if not numbers:
            return None
        around = self.owner.truth(self.program.reference, rung, numbers)
        where = "left_out" if around.failure or not around.passes else "made"
        self.draws = {**self.draws, where: [*self.draws[where], NAMED]}
        return self._called(around, rung, timed=False) if where == "made" else None

    def _called_larger(self, rung: Rung) -> Verdict | None:
        """One call at each of the larger sizes in the interpreter. A program that says there that it is made for other
        sizes, as it raises or gives outputs of another shape, is right at its own; the notes tell."""
        for reference in self.larger if rung is Rung.INTERPRET else ():
            if not reference.shrunken:
                continue
            module = self.program.module
            program = replace(self.program, reference=reference, module=module and replace(module, reference=reference))
            truth = self.owner.truth_at(reference).of_form(program.form)
            sizes = _told_sizes(reference)
            if truth.failure or not truth.passes:
                self.notes += (f"not judged at {sizes}: {truth.failure or 'the reference takes no inputs there'}",)
                continue
            answer = self.owner.call(program, truth, rung, timed=False)
            there = Climb(self.owner, program, self.wanted)
            why_not = there._made_for_other_sizes(truth, answer)
            if why_not:
                self.notes += (f"not judged at {sizes}: {why_not}",)
                continue
            ran = answer.content if isinstance(answer.content, CandidateRan) else None
            status = Status.MISMATCH if ran else Status.RUNTIME_ERROR
            wrong = there.calls.wrong(truth, ran, answer.tensors) if ran else answer.why
            if wrong:
                return self.verdict(status, rung, f"{wrong} [at larger sizes: {sizes}]")
            self.sizes += (sizes,)
        return None

    def _overflowing(self, rung: Rung) -> Verdict | None:
        """At the program's own sizes, whether an offset leaves 32 bits; the notes tell where that is not known."""
        module = self.program.module
        for reference in self.larger if rung is Rung.INTERPRET and module is not None else ():
            if reference.shrunken:
                continue
            assert module is not None
            answer, sizes = self.owner.offsets(replace(module, reference=reference)), _told_sizes(reference)
            if answer.failed and answer.failed.diagnostic:
                failed = self._failure(answer, rung)
                return replace(failed, detail=f"{failed.detail} [at the program's own sizes: {sizes}]")
            if not isinstance(answer.content, OffsetsFit):
                self.notes += (f"offsets not checked at {sizes}: {answer.why}",)
                continue
            self.own_sizes = sizes
        return None

    def _made_for_other_sizes(self, truth: Truth, answer: Answer) -> str:
        """Why a call at other sizes says nothing about a program; "" if it says something."""
        ran = answer.content
        if not isinstance(ran, CandidateRan):
            return "" if answer.failed and answer.failed.diagnostic else answer.why
        for one, call in zip(truth.passes, self.calls.of_passes(ran), strict=True):
            outputs = [answer.tensors[place] for place in call.outputs]
            if [one.shape for one in outputs] != [want.eager.shape for want in one.expected]:
                return "its outputs have other shapes there"
        return ""

    def _called(self, truth: Truth, rung: Rung, timed: bool = True) -> Verdict | None:
        """Make the candidate's calls and compare them."""
        answer = self.owner.call(self.program, truth, rung, timed=timed)
        if answer.failed and _UNALIGNED in answer.failed.detail:  # it says so itself, and so does a GPU
            self.notes += ("inputs begin at multiples of 16 bytes: its descriptors need that",)
            answer = self.owner.call(self.program, truth, rung, timed=timed, aligned=True)
        ran = answer.content
        if not isinstance(ran, CandidateRan):
            return self._failure(answer, rung)
        self.walls = ran.walls
        if ran.resources is not None:
            self.resources = ran.resources
        mismatch = self.calls.wrong(truth, ran, answer.tensors)
        if ran.estimate is not None and not mismatch:
            mismatch = self._judge_estimate(truth, ran.estimate, answer.tensors)
        if mismatch:
            return self.verdict(Status.MISMATCH, rung, mismatch + self._open_lanes(truth, rung))
        if prepared := self.calls.prepared(truth, ran):
            return self.verdict(Status.HOST_COMPUTES, rung, prepared)
        idle = self.calls.unproduced(truth, ran)
        return self.verdict(Status.CHEAT, rung, idle) if idle else None

    def _time(self, rung: Rung) -> Verdict | None:
        truth, comparison, found = self.owner.compare(self.program)
        if truth.failure:
            return self.verdict(truth.status, rung, truth.failure)
        self.calls.findings = self.calls.findings.worst(comparison.findings)
        if comparison.findings.mismatch:
            return self.verdict(Status.MISMATCH, rung, f"{comparison.findings.mismatch} [a timed call]")
        if found is None:
            assert comparison.failed is not None, "no times, and nothing that failed"
            return self._failure(comparison.failed, rung)
        self.times_ms = found.pop("times_ms")
        self.timing = found
        return None

    def _profile(self, rung: Rung) -> Verdict | None:
        truth, answer = self.owner.profiled(self.program)
        if truth.failure:
            return self.verdict(truth.status, rung, truth.failure)
        profiled = answer.content
        if not isinstance(profiled, CandidateProfiled):
            return self._failure(answer, rung)
        try:
            found = check_samples(self.program, truth, answer.tensors, profiled.verified)
            profile = report(profiled, self.program.reference, self.owner.target_here)
        except ValueError as error:
            return self.verdict(Status.UNSUPPORTED, rung, f"the device's answer is no profile: {error}"[:300])
        self.calls.findings = self.calls.findings.worst(found)
        if found.mismatch:
            return self.verdict(Status.MISMATCH, rung, f"{found.mismatch} [a profiled call]")
        self.profile = profile
        return None

    def _open_lanes(self, truth: Truth, rung: Rung) -> str:
        """What to say of a mismatch that comes of lanes that are off: with zeros in them there is none; or ""."""
        module = self.program.module
        open_in = [kernel.symbol for kernel in module.kernels if leaves_lanes_open(kernel.source)] if module else []
        if not open_in or rung is not Rung.INTERPRET:
            return ""
        answer = self.owner.call(self.program, truth, rung, zeros=True)
        ran = answer.content
        if not isinstance(ran, CandidateRan):
            return ""
        if Calls(self.program, self.owner.repeats).wrong(truth, ran, answer.tensors):
            return ""
        where = f"@{open_in[0]}" if len(open_in) == 1 else "these kernels"
        return (
            "; lanes that are off reach this result: Triton leaves open what a tl.load gives where its mask is off "
            f"unless it names `other`; add other=0.0, or what leaves the result alone, to the loads of {where}"
        )

    def _judge_estimate(self, truth: Truth, estimate: TimeEstimate, tensors: Sequence[RawTensor]) -> str:
        """Take in the estimate of the candidate's time; "" or what is wrong in its outputs."""
        found = check_samples(self.program, truth, tensors, estimate.verified)
        if found.mismatch:
            return f"{found.mismatch} [a timed call]"
        self.times_ms = {"candidate": statistics.median(estimate.events)}
        how = f"estimate: median of {len(estimate.events)} queued runs by events, in the process that checked it"
        self.timing = {"how": how, "notes": list(estimate.notes)}
        return ""

    def _failure(self, answer: Answer, rung: Rung) -> Verdict:
        """A job that gave no result, as a verdict."""
        if answer.failure == "timeout":
            return self.verdict(Status.TIMEOUT, rung, answer.detail)
        failed, detail = answer.failed, answer.why
        if failed is None:
            return self.verdict(Status.RUNTIME_ERROR, rung, detail)
        if failed.left and answer.host:
            detail = f"the program {answer.host}"
        if failed.status is Failing.MEMORY:
            detail = f"ran out of memory, of which it may take {self.owner.limits.memory_gb:g} GB: {detail}"
        status = _FAILURES[failed.status]
        if status is Status.COMPILE_ERROR and rung is Rung.RUN and Rung.COMPILE in self.wanted:
            rung = Rung.COMPILE
        return self.verdict(status, rung, detail, (failed.diagnostic,) if failed.diagnostic else ())


def _told_sizes(reference: Reference) -> str:
    """The inputs' shapes: `x f32[8, 4096]`."""
    specs = [spec for spec in reference.inputs if isinstance(spec, TensorSpec)]
    return ", ".join(f"{spec.name} {spec.annotation}" for spec in specs)


def summary(diagnostics: tuple[Diagnostic, ...]) -> str:
    more = f" (and {len(diagnostics) - 1} more)" if len(diagnostics) > 1 else ""
    return f"{diagnostics[0]}{more}"
