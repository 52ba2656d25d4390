"""The calls of one candidate, held against what they should have given."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from kernelwright.evaluation.checks.correctness import NARROW_FACTOR, compare
from kernelwright.evaluation.checks.findings import Findings
from kernelwright.evaluation.device.candidate_job import AUTOCAST_MODES
from kernelwright.evaluation.device.serve import INSTEAD
from kernelwright.evaluation.inputs.patchwork.rows import FAINT, LEAST
from kernelwright.evaluation.judge.program import Program
from kernelwright.evaluation.judge.truth import ReferenceRun, Truth
from kernelwright.evaluation.protocol.answers import CallMade, CandidateRan
from kernelwright.evaluation.protocol.link import Origin
from kernelwright.evaluation.protocol.wire import RawTensor
from kernelwright.ir.host.structure import PLAIN
from kernelwright.ir.values import DTYPES

#: Kinds of inputs beside which the rounding of numbers around 1 is large.
_SMALL = ("small", "minute", FAINT, LEAST)


@dataclass
class Calls:
    """What was found of the calls of a program. The first of them is made `repeats` times. `passes` counts calls that
    were compared, and `runs` how many of those that are alike gave the same bits."""

    program: Program
    repeats: int
    findings: Findings = field(default_factory=Findings)
    passes: int = 0
    notes: tuple[str, ...] = ()
    runs: Mapping[str, int] = field(default_factory=dict)

    def wrong(self, truth: Truth, ran: CandidateRan, tensors: Sequence[RawTensor]) -> str:
        """Compare every call with what it should have given; "" or the first mismatch."""
        first = ""
        more = [*self._unlike(truth, ran, tensors), *_again(truth, ran, self.repeats)]
        for one, call in [*zip(truth.passes, self.of_passes(ran), strict=True), *more]:
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
            mismatch = mismatch or self._left(truth, one, call, tensors) or _aliased(one, call)
            exact = self.program.form == "class"  # the native form returns the output itself where there is one
            mismatch = mismatch or (_returned(one, call.returned) if exact else "")
            weights = ", perturbed weights" if one.draw.weights is not None else ""
            after = f", {call.after}" if call.after else ""
            first = first or (f"{mismatch} [inputs {one.draw.name}{weights}{after}]" if mismatch else "")
        if first and ran.notes:
            first += f"; it holds {', '.join(ran.notes)} under no name and with no content of the reference's"
        return first

    def unproduced(self, truth: Truth, ran: CandidateRan) -> str:
        """Which output no kernel had a part in; "" where a kernel had its part in each that the reference computes.

        An output that holds one value throughout tells nothing of who computed it: of nothing but masked elements there
        may be nothing to launch. It is held against a program where a kernel has no part on any other inputs either.
        """
        produced: set[str] = set()
        idle: dict[str, bool] = {}
        for one, call in zip(truth.passes, self.of_passes(ran), strict=True):
            for want, computed, origin in zip(one.expected, one.computed, call.origins, strict=True):
                if origin == Origin.KERNEL or (origin == Origin.GIVEN and call.launches):
                    produced.add(want.name)
                elif computed and want.eager.nbytes:
                    idle[want.name] = idle.get(want.name, False) or not _is_even(want.eager)
        names = [name for name, told in idle.items() if told or name not in produced]
        return f"no kernel has a part in output {names[0]}" if names else ""

    def prepared(self, truth: Truth, ran: CandidateRan) -> str:
        """Which output host code prepared of weights alone, though the reference computes it; "" for none: where no
        input has a part in an output, nothing else is left for kernels."""
        for one, call in zip(truth.passes, self.of_passes(ran), strict=True):
            sides = zip(one.expected, one.computed, one.of_inputs, call.prepared, strict=True)
            for want, computed, of_inputs, prepared in sides:
                if prepared and computed and not of_inputs:
                    return f"host code computes output {want.name}, which is made of weights alone; {INSTEAD}"
        return ""

    def of_passes(self, ran: CandidateRan) -> list[CallMade]:
        """One call for each pass: without the first one's repetitions, which follow it, and without others again."""
        first, *others = (call for call in ran.calls if not call.again)
        return [first, *others[self.repeats - 1 :]]

    def _unlike(
        self, truth: Truth, ran: CandidateRan, tensors: Sequence[RawTensor]
    ) -> list[tuple[ReferenceRun, CallMade]]:
        """The repetitions of the first call that gave other bits, which have to be right as well; counts how many runs
        of all gave the same as the first."""
        first, *others = ran.calls
        again = others[: self.repeats - 1]
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

    def _left(self, truth: Truth, one: ReferenceRun, call: CallMade, tensors: Sequence[RawTensor]) -> str:
        """Compare the inputs and the state that the reference changes; "" or the first mismatch."""
        for want in one.left_by(self.program.module is not None):
            place = call.left.get(want.name)
            if place is None:
                return f"{want.name} is not updated, which the reference changes: the program holds it nowhere"
            found = compare([want], [tensors[place]], truth.tolerance(self.program.reference))
            self.findings = self.findings.worst(found)
            if found.mismatch:
                return f"{found.mismatch.replace('output', 'updated', 1)}; the reference changes it"
        return ""


def _again(truth: Truth, ran: CandidateRan, repeats: int) -> Iterator[tuple[ReferenceRun, CallMade]]:
    """The calls that were made again, each with the pass of the one before."""
    number = -repeats
    for call in ran.calls:
        number += not call.again
        if call.again:
            yield truth.passes[number], call


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
