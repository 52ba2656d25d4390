"""One candidate's way up the ladder of rungs, and the verdict at its end."""

import statistics
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelwright.agent.evaluator import ON_GPU, Rung, Status, Verdict
from kernelwright.evaluation.checks.correctness import NARROW_FACTOR, compare
from kernelwright.evaluation.checks.findings import Findings
from kernelwright.evaluation.checks.profile import report
from kernelwright.evaluation.device.candidate_job import AUTOCAST_MODES
from kernelwright.evaluation.inputs.draws import NAMED
from kernelwright.evaluation.inputs.patchwork.rows import FAINT
from kernelwright.evaluation.inputs.thresholds import thresholds
from kernelwright.evaluation.judge.comparison import check_samples
from kernelwright.evaluation.judge.program import Program
from kernelwright.evaluation.judge.truth import ReferenceRun, Truth
from kernelwright.evaluation.protocol.answers import (
    CallMade,
    CandidateProfiled,
    CandidateRan,
    CompiledKernels,
    Failing,
    OffsetsFit,
    TimeEstimate,
)
from kernelwright.evaluation.protocol.kernel_text import leaves_lanes_open
from kernelwright.evaluation.protocol.link import Origin
from kernelwright.evaluation.protocol.wire import RawTensor
from kernelwright.evaluation.sandbox.parent import Answer
from kernelwright.ir.errors import Diagnostic
from kernelwright.ir.host.structure import PLAIN
from kernelwright.ir.values import DTYPES, Reference, Resources, TensorSpec
from kernelwright.ir.verifier import verify

if TYPE_CHECKING:
    from kernelwright.evaluation.judge.local import LocalEvaluator

#: Python 3.11's `ast` keeps its depth in one place for all threads, and fails where two of them build trees.
SYNTAX = threading.RLock()
#: What Triton says of a descriptor of memory that begins elsewhere than at a multiple of 16 bytes.
_UNALIGNED = "base must be 16-byte aligned"
#: Kinds of inputs beside which the rounding of numbers around 1 is large.
_SMALL = ("small", "minute", FAINT)
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
    findings: Findings = field(default_factory=Findings)
    resources: Mapping[str, Resources] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    walls: tuple[str, ...] = ()
    draws: Mapping[str, Any] = field(default_factory=dict)
    passes: int = 0
    times_ms: Mapping[str, float] = field(default_factory=dict)
    timing: Mapping[str, Any] = field(default_factory=dict)
    profile: Mapping[str, Any] = field(default_factory=dict)
    runs: Mapping[str, int] = field(default_factory=dict)

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
        measured = {"rms": self.findings.rms, "max": self.findings.max} if self.passes else {}
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
            "passes": self.passes,
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
            "notes": list(self.notes),
            "draws": dict(self.draws),
            **({"timing": dict(self.timing)} if self.timing else {}),
            **({"profile": dict(self.profile)} if self.profile else {}),
            **({"determinism": dict(self.runs)} if self.runs else {}),
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
        self.notes = truth.notes
        self.draws = {
            "made": [one.draw.kind for one in truth.passes],
            "left_out": list(truth.left_out),
            "kept": {name: list(traits) for name, traits in truth.held.items()},
        }
        wrong = self._called(truth, rung) or self._called_around(truth, rung) or self._called_larger(rung)
        return wrong or self._overflowing(rung)

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
            wrong = there._judge(truth, ran, answer.tensors) if ran else answer.why
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
        for one, call in zip(truth.passes, self._calls(ran), strict=True):
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
        mismatch = self._judge(truth, ran, answer.tensors)
        if ran.estimate is not None and not mismatch:
            mismatch = self._judge_estimate(truth, ran.estimate, answer.tensors)
        if mismatch:
            return self.verdict(Status.MISMATCH, rung, mismatch + self._open_lanes(truth, rung))
        idle = self._unproduced(truth, ran)
        return self.verdict(Status.CHEAT, rung, idle) if idle else None

    def _time(self, rung: Rung) -> Verdict | None:
        truth, comparison, found = self.owner.compare(self.program)
        if truth.failure:
            return self.verdict(truth.status, rung, truth.failure)
        self.findings = self.findings.worst(comparison.findings)
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
        self.findings = self.findings.worst(found)
        if found.mismatch:
            return self.verdict(Status.MISMATCH, rung, f"{found.mismatch} [a profiled call]")
        self.profile = profile
        return None

    def _judge(self, truth: Truth, ran: CandidateRan, tensors: Sequence[RawTensor]) -> str:
        """Compare every call with what it should have given; "" or the first mismatch."""
        first = ""
        for one, call in [*zip(truth.passes, self._calls(ran), strict=True), *self._unlike(truth, ran, tensors)]:
            outputs = [tensors[place] for place in call.outputs]
            modified = [name for name in call.modified if name in one.kept]
            small = one.draw.kind in _SMALL
            found = compare(one.expected, outputs, truth.tolerance(self.program.reference), cancelling=small)
            asked = self.program.module is None and call.mode in AUTOCAST_MODES  # the dialect cannot ask for modes
            if found.mismatch and one.autocast and asked:
                narrow = replace(truth.tolerance(self.program.reference), factor=NARROW_FACTOR)
                there = compare(one.autocast, outputs, narrow, cancelling=small)
                found = found if there.mismatch else there
            self._note_strides(one, outputs)
            self.findings, self.passes = self.findings.worst(found), self.passes + 1
            mismatch = f"input {modified[0]} was modified" if modified else found.mismatch
            mismatch = mismatch or self._judge_left(truth, one, call, tensors) or _aliased(one, call)
            exact = self.program.form == "class"  # the native form returns the output itself where there is one
            mismatch = mismatch or (_returned(one, call.returned) if exact else "")
            weights = ", perturbed weights" if one.draw.weights is not None else ""
            first = first or (f"{mismatch} [inputs {one.draw.kind}{weights}]" if mismatch else "")
        if first and ran.notes:
            first += f"; it holds {', '.join(ran.notes)} under no name and with no content of the reference's"
        return first

    def _calls(self, ran: CandidateRan) -> list[CallMade]:
        """One call for each pass: without the first one's repetitions, which follow it."""
        first, *others = ran.calls
        return [first, *others[self.owner.repeats - 1 :]]

    def _unlike(
        self, truth: Truth, ran: CandidateRan, tensors: Sequence[RawTensor]
    ) -> list[tuple[ReferenceRun, CallMade]]:
        """The repetitions of the first call that gave other bits, which have to be right as well; counts how many runs
        of all gave the same as the first."""
        first, *others = ran.calls
        again = others[: self.owner.repeats - 1]
        if not again:
            return []
        other = [call for call in again if not _same(tensors, first, call)]
        equal = 1 + len(again) - len(other)
        self.runs = {"runs": 1 + len(again), "equal": min(equal, self.runs.get("equal", equal))}
        return [(truth.passes[0], call) for call in other]

    def _note_strides(self, one: ReferenceRun, outputs: Sequence[RawTensor]) -> None:
        """Say where outputs lie otherwise in memory than eager's: callers that go by strides have to know."""
        for want, have in zip(one.expected, outputs, strict=False):
            if have.shape == want.eager.shape and have.steps != want.eager.steps:
                told = (
                    f"output {want.name} has strides {list(have.strides)} where eager gives {list(want.eager.strides)}"
                )
                self.notes += (told,) if told not in self.notes else ()

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
        if Climb(self.owner, self.program, ())._judge(truth, ran, answer.tensors):
            return ""
        where = f"@{open_in[0]}" if len(open_in) == 1 else "these kernels"
        return (
            "; lanes that are off reach this result: Triton leaves open what a tl.load gives where its mask is off "
            f"unless it names `other`; add other=0.0, or what leaves the result alone, to the loads of {where}"
        )

    def _judge_left(self, truth: Truth, one: ReferenceRun, call: CallMade, tensors: Sequence[RawTensor]) -> str:
        """Compare the inputs and the state that the reference changes; "" or the first mismatch."""
        for want in one.left:
            place = call.left.get(want.name)
            if place is None:
                return f"{want.name} is not updated, which the reference changes: the program holds it nowhere"
            found = compare([want], [tensors[place]], truth.tolerance(self.program.reference))
            self.findings = self.findings.worst(found)
            if found.mismatch:
                return f"{found.mismatch.replace('output', 'updated', 1)}; the reference changes it"
        return ""

    def _judge_estimate(self, truth: Truth, estimate: TimeEstimate, tensors: Sequence[RawTensor]) -> str:
        """Take in the estimate of the candidate's time; "" or what is wrong in its outputs."""
        found = check_samples(self.program, truth, tensors, estimate.verified)
        if found.mismatch:
            return f"{found.mismatch} [a timed call]"
        self.times_ms = {"candidate": statistics.median(estimate.events)}
        how = f"estimate: median of {len(estimate.events)} queued runs by events, in the process that checked it"
        self.timing = {"how": how, "notes": list(estimate.notes)}
        return ""

    def _unproduced(self, truth: Truth, ran: CandidateRan) -> str:
        """Which output no kernel had a part in; "" where a kernel had its part in each that the reference computes.

        An output that holds one value throughout tells nothing of who computed it: of nothing but masked elements there
        may be nothing to launch. It is held against a program where a kernel has no part on any other inputs either.
        """
        produced: set[str] = set()
        idle: dict[str, bool] = {}
        for one, call in zip(truth.passes, self._calls(ran), strict=True):
            for want, computed, origin in zip(one.expected, one.computed, call.origins, strict=True):
                if origin == Origin.KERNEL or (origin == Origin.GIVEN and call.launches):
                    produced.add(want.name)
                elif computed and want.eager.nbytes:
                    idle[want.name] = idle.get(want.name, False) or not _is_even(want.eager)
        names = [name for name, told in idle.items() if told or name not in produced]
        return f"no kernel has a part in output {names[0]}" if names else ""

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


def _aliased(one: ReferenceRun, call: CallMade) -> str:
    """What to say of an output in memory that eager's has for itself: whoever writes to one changes the other."""
    for want, mine, known in zip(one.expected, call.shared, one.shared, strict=True):
        for other in mine:
            if other not in known:
                number = other.removeprefix("output ")
                name = f"output {one.expected[int(number)].name}" if number.isdigit() else other
                return f"output {want.name} shares memory with {name}; the reference's output does not"
    return ""


def _returned(one: ReferenceRun, kind: str) -> str:
    """What to say of a result of another structure than eager's; a named tuple is a tuple."""
    if kind == one.returns or (kind not in PLAIN and one.returns in ("tuple", "list") and kind.isidentifier()):
        return ""
    mine, other = (f"a {text}" if text.isidentifier() else text[:200] for text in (kind, one.returns))
    return f"it returns {mine} where the reference returns {other}"


def _is_even(output: RawTensor) -> bool:
    """Whether an output is zero, or of several elements that are all the same, bit by bit."""
    content = np.frombuffer(output.data, np.uint8)
    rows = content.reshape(-1, 8 if output.sketched else DTYPES[output.dtype][2])
    return not content.any() or (len(rows) > 1 and not (rows != rows[0]).any())


def _same(tensors: Sequence[RawTensor], first: CallMade, second: CallMade) -> bool:
    """Whether two calls gave the same outputs, and left the same behind, bit by bit."""
    places = [[*call.outputs, *(call.left[name] for name in sorted(call.left))] for call in (first, second)]
    sides = [[tensors[place] for place in some] for some in places]
    told = [[(one.dtype, one.shape, bytes(one.data)) for one in side] for side in sides]
    return told[0] == told[1]


def summary(diagnostics: tuple[Diagnostic, ...]) -> str:
    more = f" (and {len(diagnostics) - 1} more)" if len(diagnostics) > 1 else ""
    return f"{diagnostics[0]}{more}"
