"""The time rung on the judge's side: a candidate and its baselines in turn, each in processes of its own.

A process of each side, then one of each again, so that what drifts with time drifts for all of them. Outputs of some of
the timed samples are checked; results to be doubted are measured a second time and then named, never refused.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from kernelwright.backend.targets import target_of
from kernelwright.evaluation.checks.correctness import compare
from kernelwright.evaluation.checks.findings import Findings
from kernelwright.evaluation.checks.timing import Interval, doubts, floor_ms, report
from kernelwright.evaluation.inputs.draws import Draw
from kernelwright.evaluation.judge.program import Program
from kernelwright.evaluation.judge.truth import Truth, answer_bytes
from kernelwright.evaluation.protocol.answers import CandidateTimed, CheckedSample, MeasuredTimes, ReferenceTimed
from kernelwright.evaluation.protocol.jobs import Call, Job, RunCandidate, Sampling, TimeCandidate, TimeReference
from kernelwright.evaluation.protocol.transport import encode_reference
from kernelwright.evaluation.protocol.wire import RawTensor
from kernelwright.evaluation.sandbox.parent import Answer, Limits
from kernelwright.ir.values import Reference, TensorSpec

#: Baselines by name -> what `time_job` calls their compiler.
BASELINES = {"eager": "", "inductor": "default", "inductor-max-autotune": "max-autotune"}
#: Seconds that a compiler may take on top of what a job may.
_COMPILE_SECONDS = {"": 0.0, "default": 120.0, "max-autotune": 600.0}
#: Bytes of compiled code that a baseline's first process hands to the next ones at most.
_COMPILED_BYTES = 64 << 20

#: Runs a job in a fresh process: it, its tensors, room for the answer, limits.
Run = Callable[[Job, Sequence[RawTensor], int, Limits], Answer]


@dataclass(frozen=True)
class Timing:
    """How times are taken: in each process a random number of samples as far as `budget_s` goes.

    Each side has the first number of `processes`, and more up to the second one while some interval's half-width is
    above `half_width`. `warm_up_runs` take the place of `warm_up_s` where they are not 0.
    """

    baselines: tuple[str, ...] = ("eager", "inductor")
    processes: tuple[int, int] = (3, 7)
    half_width: float = 0.01
    samples: tuple[int, int] = (30, 40)
    budget_s: float = 5.0
    warm_up_s: float = 0.1
    warm_up_runs: int = 0
    verify: int = 2
    facts: bool = True

    @classmethod
    def of_runs(cls, warm_up: int, timed: int, baselines: tuple[str, ...], budget_s: float) -> "Timing":
        """`timed` runs of each side in one process, after `warm_up` runs that are not timed. If `budget_s` is too short
        for them, there are fewer runs, and a note says so."""
        return cls(baselines, (1, 1), samples=(timed, timed), budget_s=budget_s, warm_up_runs=warm_up)

    @property
    def protocol(self) -> str:
        """In words, how times are taken."""
        if self.warm_up_runs:
            return f"{self.warm_up_runs} warm-up runs, {self.samples[1]} timed runs, one process a side"
        few, many = self.processes
        return f"{self.samples[0]} to {self.samples[1]} runs in each of {few} to {many} processes a side"

    def plan(self, seed: int) -> Sampling:
        """How one process samples."""
        return Sampling(self.samples, self.budget_s, self.warm_up_s, self.warm_up_runs, self.verify, seed, self.facts)


@dataclass
class Comparison:
    """One candidate against its baselines on `device`. `draws` are what `truth` was made with, one a pass.

    `failed` is the candidate's answer where it gave no times, `findings` what the check of timed outputs found.
    """

    run: Run
    limits: Limits
    build_seed: int
    generator: random.Random
    timing: Timing = field(default_factory=Timing)
    device: str = "cuda"
    device_name: str = ""
    failed: Answer | None = None
    findings: Findings = field(default_factory=Findings)
    notes: list[str] = field(default_factory=list)
    #: What a baseline's first process compiled, by the compiler: the next ones need not do, nor choose, it again.
    compiled: dict[str, RawTensor] = field(default_factory=dict)

    def times(self, program: Program, truth: Truth, draws: Sequence[Draw]) -> dict[str, Any] | None:
        """The report of `timing.report`, with what it was obtained by; None where the candidate failed or was wrong."""
        jobs = {name: _Reference(program.reference, BASELINES[name], tuple(draws)) for name in self.timing.baselines}
        floor = self._floor(program.reference)
        sides: dict[str, list[MeasuredTimes]] = {name: [] for name in ("candidate", *jobs)}
        flushed: set[int] = set()
        fewest, most = self.timing.processes
        for done in range(1, most + 1):
            for name in list(sides):
                timed = self._measured(name, program, truth, jobs, floor, flushed)
                if timed is None and name == "candidate":
                    return None
                if timed is None:
                    del sides[name], jobs[name]
                else:
                    sides[name].append(timed)
            if done >= fewest and self._precise(found := report(sides, self.generator.getrandbits(32))):
                break
        found |= {"notes": self._all_notes(sides)}
        timing = asdict(self.timing) | {"flush_bytes": max(flushed, default=0), "floor_ms": floor}
        timing |= {"numerics": program.reference.numerics, "protocol": self.timing.protocol}
        return found | {"caliber": timing, "device": {name: [t.device for t in side] for name, side in sides.items()}}

    def _precise(self, found: Mapping[str, Any]) -> bool:
        """Whether every ratio is known as well as it has to be."""
        ratios = [(found["times_ms"][name], Interval(found["speedup"][name], *ci)) for name, ci in found["ci"].items()]
        return all(ratio.precise(time, self.timing.half_width) for time, ratio in ratios)

    def _all_notes(self, sides: Mapping[str, Sequence[MeasuredTimes]]) -> list[str]:
        told = {f"{name}: {note}": None for name, side in sides.items() for timed in side for note in timed.notes}
        return [*self.notes, *told]

    def _measured(
        self,
        name: str,
        program: Program,
        truth: Truth,
        jobs: Mapping[str, "_Reference"],
        floor: float,
        flushed: set[int],
    ) -> MeasuredTimes | None:
        """One process of one side; a second where the first is in doubt. None where it gives no times."""
        for attempt in ("first", "second"):
            answer = self._candidate(program, truth) if name == "candidate" else self._reference(jobs[name])
            if not isinstance(answer.content, MeasuredTimes):
                if name == "candidate":
                    self.failed = answer
                else:
                    self.notes.append(f"{name}: no times: {answer.why[:200]}")
                return None
            timed: MeasuredTimes = answer.content
            flushed.add(timed.flush_bytes)
            if isinstance(timed, CandidateTimed) and not self._right(program, truth, timed, answer.tensors):
                return None
            found = doubts(timed, floor)
            self.notes += [f"{name}, {attempt} measurement: {text}" for text in found]
            if not found:
                break
        return timed

    def _right(self, program: Program, truth: Truth, timed: CandidateTimed, tensors: Sequence[RawTensor]) -> bool:
        """Whether the timed outputs that came back are those of their draws."""
        self.findings = self.findings.worst(check_samples(program, truth, tensors, timed.verified))
        return not self.findings.mismatch

    def _candidate(self, program: Program, truth: Truth) -> Answer:
        plan = self.timing.plan(self.generator.getrandbits(62))
        memory_bytes = int(self.limits.memory_gb * 2**30)
        made, tensors = repeated_job(
            program, truth, self.build_seed, self.generator.getrandbits(62), self.device, memory_bytes
        )
        job = TimeCandidate(**vars(made) | {"timing": plan})
        room = (self.timing.verify + 2) * answer_bytes(program.reference.outputs)
        limits = replace(self.limits, device=self.device != "cpu", host=True)
        return self.run(job, tensors, room, self._longer(limits, 0.0))

    def _reference(self, side: "_Reference") -> Answer:
        known = [self.compiled[side.compiler]] if side.compiler in self.compiled else []
        keep = _COMPILED_BYTES if side.compiler and not known else 0
        limits = self._longer(replace(self.limits, device=self.device != "cpu"), _COMPILE_SECONDS[side.compiler])
        encoded, draws = encode_reference(side.reference), tuple(asdict(draw) for draw in side.draws)
        plan = self.timing.plan(self.generator.getrandbits(62))
        numerics = side.reference.numerics
        job = TimeReference(encoded, numerics, self.device, self.build_seed, draws, side.compiler, plan, keep)
        answer = self.run(job, known, keep, limits)
        if isinstance(answer.content, ReferenceTimed) and answer.content.compiled is not None:
            self.compiled[side.compiler] = answer.tensors[answer.content.compiled]
        return answer

    def _longer(self, limits: Limits, seconds: float) -> Limits:
        return replace(limits, timeout_s=limits.timeout_s + 2 * self.timing.budget_s + seconds)

    def _floor(self, reference: Reference) -> float:
        """The least time that the data of one call takes on this device; 0 where its figures are not known."""
        target = target_of(self.device_name)
        if target is None:
            return 0.0
        given = sum(spec.nbytes for spec in reference.inputs if isinstance(spec, TensorSpec))
        made = sum(spec.nbytes for spec in reference.outputs)
        return floor_ms(given, made, target.bandwidth_gb_s, target.l2_mb)


@dataclass(frozen=True)
class _Reference:
    reference: Reference
    compiler: str
    draws: tuple[Draw, ...]


def repeated_job(
    program: Program, truth: Truth, build_seed: int, chance: int, device: str, memory_bytes: int
) -> tuple[RunCandidate, list[RawTensor]]:
    """What timing and profiling are given: a call to warm up, and one for each pass, all with the first one's state."""
    reference = program.reference
    tensors: list[RawTensor] = list(truth.built.values())
    state = {name: len(tensors) + place for place, name in enumerate(truth.passes[0].state)}
    tensors += truth.passes[0].state.values()
    calls: list[Call] = []
    for one in truth.passes:
        places = iter(range(len(tensors), len(tensors) + len(one.inputs)))
        inputs = tuple(None if tensor is None else next(places) for tensor in one.inputs)
        values = tuple(getattr(spec, "value", None) for spec in reference.inputs)
        calls.append(Call(inputs, values, state, bump=False, **one.drawing))
        tensors += [tensor for tensor in one.inputs if tensor is not None]
    return program.job(truth, build_seed, chance, memory_bytes, device, [calls[0], *calls]), tensors


def check_samples(
    program: Program, truth: Truth, tensors: Sequence[RawTensor], verified: Sequence[CheckedSample]
) -> Findings:
    """Compare the outputs that came back from repeated calls, places among `tensors`, with those of their draws."""
    found = Findings()
    for sample in verified:
        outputs = [tensors[place] for place in sample.outputs]
        expected = truth.passes[sample.draw].expected
        found = found.worst(compare(expected, outputs, truth.tolerance(program.reference)))
    return found


def timed_draws(seed: Callable[[int], int], count: int = 3) -> tuple[Draw, ...]:
    """What is timed: inputs as the reference draws them, several times, with the same perturbed weights."""
    weights = seed(0)
    return tuple(Draw(seed(index + 1), weights=weights) for index in range(count))
