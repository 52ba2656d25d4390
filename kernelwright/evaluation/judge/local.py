"""The evaluator that runs on this machine: parse, compile, interpret, run, time, profile."""

import copy
import functools
import random
import secrets
import threading
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from kernelwright.agent.evaluator import ON_GPU, Rung, Status, Verdict
from kernelwright.backend.targets import Target, get_target, target_of
from kernelwright.evaluation.device.candidate_job import AUTOCAST_MODES
from kernelwright.evaluation.host import vocabulary
from kernelwright.evaluation.inputs.draws import LARGER, ZERO, Draw
from kernelwright.evaluation.inputs.kinds.compared import COMPARED
from kernelwright.evaluation.inputs.kinds.ties import TIES
from kernelwright.evaluation.inputs.not_finite import EXTREME
from kernelwright.evaluation.judge.changes import Changes
from kernelwright.evaluation.judge.climb import SYNTAX, Climb, summary
from kernelwright.evaluation.judge.comparison import Comparison, Timing, repeated_job, timed_draws
from kernelwright.evaluation.judge.program import Program
from kernelwright.evaluation.judge.strengths import draws_of
from kernelwright.evaluation.judge.truth import CACHED, Truth, TruthKeeper, answer_bytes
from kernelwright.evaluation.protocol.answers import Machine
from kernelwright.evaluation.protocol.jobs import (
    Call,
    CheckOffsets,
    CompileCandidate,
    CompileKernels,
    Describe,
    ProfileCandidate,
    Profiling,
    Sampling,
)
from kernelwright.evaluation.protocol.link import ITEM_BYTES
from kernelwright.evaluation.protocol.transport import encode_module
from kernelwright.evaluation.protocol.wire import RawTensor
from kernelwright.evaluation.sandbox.parent import Answer, Limits, Sandbox, SandboxError
from kernelwright.ir.dialect.tables import Dialect
from kernelwright.ir.errors import Diagnostic, DialectError, UserError
from kernelwright.ir.host.nesting import takes_line
from kernelwright.ir.parser import parse_module
from kernelwright.ir.values import KernelModule, Reference

#: What modules are compiled for where nothing else is said: sm_90.
DEFAULT_COMPILE_TARGET = "h100"
#: Elements before an input that is a part of a larger tensor, and before one whose address is no multiple of 16.
_BEFORE, _ODDLY_BEFORE = 64, 61
#: Calls without effect: a thousand of the judged instance, and some of others.
REHEARSALS = 1152
_LADDER = (Rung.PARSE, Rung.COMPILE, Rung.INTERPRET, Rung.RUN, Rung.TIME, Rung.PROFILE)
_NO_PROGRAM = Diagnostic("the text defines no program", 1, 0, hint="write class ModelNew(nn.Module), or forward")


class Checks:
    """What candidates are checked with: draws, secret without a `seed`, and what references give on them.

    `sharers` evaluators may have the same, so that each reference runs once for all of them.
    """

    def __init__(
        self, seeds: int, limits: Limits, seed: int | None = None, sharers: int = 1, strength: str = "default"
    ) -> None:
        if seeds < 1:
            raise UserError(f"seeds={seeds}: at least one is needed")
        self.build_seed, signs = _number(seed, 0), _number(seed, 99)
        draws = draws_of(strength, seeds, functools.partial(_number, seed))
        self.truths = TruthKeeper(self.build_seed, draws, limits, signs, sharers)
        self.timed_draws = timed_draws(lambda index: _number(seed, 101 + index))
        self.timed_truths = TruthKeeper(self.build_seed, self.timed_draws, limits, signs, sharers)
        larger = (Draw(_number(seed, 102), LARGER, weights=_number(seed, 103)),)
        self.larger_truths = TruthKeeper(self.build_seed, larger, limits, signs, sharers)


class LocalEvaluator:
    """Judges modules in sandboxed child processes of this machine; implements `Evaluator`.

    `target` is the target compiled for; with `interpreter` that is `compile_target`. `seeds` draws of inputs
    and weights are checked as given, and one of each other kind where the program is finite. `timeout_s` and
    `memory_gb` bound every job. `use_gpu` None means: where there is one. `seed` fixes the draws, which are
    secret otherwise. With `dialect` False programs are run as Python whose host code is in a vocabulary; with
    `vocabulary` False, too, any Python is run, which shows what the checks of calls find. With `externs` texts may
    call extern operators such as `aten.mm`; modules may call those that they name. `timing` says against what and
    how the time rung measures. With `samples` the run rung estimates a candidate's time from so many runs in the very
    process that checked it, which may have served others: good for ranking, no measurement to report. With `repeats`
    the first call is made so many times, and the caliber says how many gave the same bits. Without the
    dialect small programs are called `rehearsals` times without effect before the last call is judged. `strength`, one
    of `STRENGTHS`, says which kinds of inputs are drawn. `checks` are those of several evaluators, which then check
    with the same draws. Close it, or use it as a context manager; it may be used from several threads, which then wait
    for one another.
    """

    def __init__(
        self,
        target: str = "interpreter",
        seeds: int = 3,
        timeout_s: float = 60.0,
        memory_gb: float = 8.0,
        compile_target: str = DEFAULT_COMPILE_TARGET,
        use_gpu: bool | None = None,
        seed: int | None = None,
        dialect: bool = True,
        externs: bool = False,
        timing: Timing | None = None,
        samples: int = 0,
        rehearsals: int = REHEARSALS,
        checks: "Checks | None" = None,
        strength: str = "default",
        repeats: int = 1,
        vocabulary: bool = True,
    ) -> None:
        self.repeats, self.vocabulary, self._seed = repeats, vocabulary, seed
        self.target, self.dialect, self.seeds, self.strength = target, dialect, seeds, strength
        self._externs: frozenset[str] | None = None if externs else frozenset()
        self.compile_target = compile_target if target == "interpreter" else target
        self.limits = Limits(timeout_s=timeout_s, memory_gb=memory_gb)
        self._use_gpu = use_gpu
        self._sandbox = Sandbox()
        self._checks = Checks(seeds, self.limits, seed, strength=strength) if checks is None else checks
        self._build_seed = self._checks.build_seed
        self._timing, self._samples, self.rehearsals = timing or Timing(), samples, 0 if dialect else rehearsals
        self._randomness = random.Random(_number(seed, 100))
        self._lock = threading.RLock()
        self._machine: Machine | None = None
        self._compiled: dict[tuple[str, str], Answer] = {}

    @property
    def worker_pid(self) -> int | None:
        """The worker's process id while it lives."""
        return self._sandbox.pid

    def rungs(self) -> tuple[Rung, ...]:
        """The rungs climbed by default: with a GPU the last is `run`, without one `interpret`."""
        return (Rung.PARSE, Rung.COMPILE, Rung.RUN if self.machine.gpu else Rung.INTERPRET)

    def evaluate(
        self, module: KernelModule, rungs: tuple[Rung, ...] | None = None, larger: tuple[Reference, ...] = ()
    ) -> Verdict:
        """Climb the rungs in the ladder's order until one fails. Raises UserError for a module without kernels
        and for rungs that this evaluator or machine does not have; SandboxError where no worker starts."""
        if module.launcher is None:
            raise UserError(f"@{module.name} has no kernels yet; lower it first")
        with self._lock:
            wanted = self._checked(self.rungs() if rungs is None else rungs)
            with SYNTAX:
                program = Program.of_module(module)
            return self._climb(program, wanted, larger)

    def _climb(self, program: Program, wanted: tuple[Rung, ...], larger: tuple[Reference, ...] = ()) -> Verdict:
        climb = Climb(self, program, wanted, larger)
        for rung in wanted:
            failed = climb.step(rung)
            if failed is not None:
                return failed
        return climb.verdict(Status.OK, wanted[-1])

    def evaluate_text(
        self,
        text: str,
        reference: Reference,
        rungs: tuple[Rung, ...] | None = None,
        name: str = "candidate",
        larger: tuple[Reference, ...] = (),
    ) -> Verdict:
        """Evaluate a program text, as a model writes it, against a reference; a text's own reference is ignored. If the
        reference is shrunken, the rung `interpret` also makes a call at each of the `larger` sizes. One that is not
        shrunken has the program's own sizes: there only the kernels' offsets are checked.

        Without the dialect any program is run that defines `ModelNew`, and whose host code is in the vocabulary; raises
        UserError as `evaluate` does.
        """
        if not self.dialect:
            with SYNTAX:
                found = vocabulary.refused(text, reference.source) if self.vocabulary else ()
            if found:
                return Verdict(
                    Status.UNPARSED, Rung.PARSE, summary(found), diagnostics=found, shrunken=reference.shrunken
                )
            with self._lock:
                wanted = self._checked(self.rungs() if rungs is None else rungs)
                return self._climb(Program(text, reference, name, externs=self._externs), wanted, larger)
        try:
            with SYNTAX:
                module = parse_module(text, reference=reference, name=name, dialect=Dialect(self._externs))
        except DialectError as error:
            detail, found = summary(error.diagnostics), error.diagnostics
            return Verdict(Status.UNPARSED, Rung.PARSE, detail, diagnostics=found, shrunken=reference.shrunken)
        if module.launcher is None:
            detail, found = summary((_NO_PROGRAM,)), (_NO_PROGRAM,)
            return Verdict(Status.UNPARSED, Rung.PARSE, detail, diagnostics=found, shrunken=reference.shrunken)
        return self.evaluate(replace(module, reference=reference), rungs, larger)

    def checking(self, strength: str, samples: int = 0) -> "LocalEvaluator":
        """This evaluator with the kinds of inputs of another of `STRENGTHS`, and with `samples`. Both have one worker,
        and closing one of them ends it. Each keeps what references give."""
        other = copy.copy(self)
        other.strength, other._samples = strength, samples
        other._checks = Checks(self.seeds, self.limits, self._seed, strength=strength)
        other._build_seed = other._checks.build_seed
        return other

    def close(self) -> None:
        """End the worker and all it started; idempotent. A later evaluation starts another."""
        self._sandbox.close()

    def __enter__(self) -> "LocalEvaluator":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _checked(self, rungs: Sequence[Rung]) -> tuple[Rung, ...]:
        if not rungs or not set(rungs) <= set(_LADDER):
            raise UserError(f"rungs {list(map(str, rungs))}: choose from {', '.join(_LADDER)}")
        for rung in ON_GPU:
            if rung in rungs and not self.machine.gpu:
                raise UserError(f"rung {rung} needs a CUDA device; choose from parse, compile, interpret here")
        return tuple(rung for rung in _LADDER if rung in rungs)

    @property
    def machine(self) -> Machine:
        """What a child finds out about this machine."""
        if self._machine is None:
            gpu = self._use_gpu is not False and Path("/dev/nvidiactl").exists()
            limits = replace(self.limits, timeout_s=120.0, device=True)
            answer = self._sandbox.run(Describe(bool(gpu)), (), 0, limits)
            if not isinstance(answer.content, Machine):
                raise SandboxError(f"this machine cannot be described: {answer.why}")
            if self._use_gpu and not answer.content.gpu:
                raise UserError("use_gpu=True, but torch finds no CUDA device here")
            self._machine = answer.content
        return self._machine

    def truth(self, reference: Reference, rung: Rung, numbers: tuple[float, ...] = ()) -> Truth:
        """The reference's results on the rung's device, kept for later calls. With `numbers`, only on inputs around
        these numbers."""
        return self._checks.truths.get(reference, "cuda" if rung is Rung.RUN else "cpu", self._sandbox, numbers)

    def prepare(self, reference: Reference, rungs: tuple[Rung, ...] | None = None) -> None:
        """Find out what is right before there is a program to judge, whose verdict then comes sooner. Raises as
        `evaluate` does."""
        with self._lock:
            for rung in self._checked(self.rungs() if rungs is None else rungs):
                if rung in (Rung.INTERPRET, Rung.RUN):
                    self.truth(reference, rung)

    def truth_at(self, reference: Reference) -> Truth:
        """The results of a reference of larger sizes in the interpreter, on one draw."""
        return self._checks.larger_truths.get(reference, "cpu", self._sandbox)

    def compare(self, program: Program, device: str = "cuda") -> tuple[Truth, Comparison, dict[str, Any] | None]:
        """Time a program against its baselines: what it was checked with, how it went, and `Comparison.times`."""
        truth = self._checks.timed_truths.get(program.reference, device, self._sandbox)
        name = str(self.machine.facts.get("device", ""))
        comparison = Comparison(
            self._sandbox.run, self.limits, self._build_seed, self._randomness, self._timing, device, name
        )
        if truth.failure:
            return truth, comparison, None
        return truth, comparison, comparison.times(program, truth, self._checks.timed_draws[: len(truth.passes)])

    def profiled(self, program: Program, device: str = "cuda") -> tuple[Truth, Answer]:
        """Profile a program's call in a fresh process: what it was checked with, and the answer of `profile_job`."""
        truth = self._checks.timed_truths.get(program.reference, device, self._sandbox)
        if truth.failure:
            return truth, Answer()
        target = self.target_here
        plan = Profiling(seed=self._randomness.getrandbits(62), target=target.name if target else "")
        memory_bytes = int(self.limits.memory_gb * 2**30)
        made, tensors = repeated_job(
            program, truth, self._build_seed, self._randomness.getrandbits(62), device, memory_bytes
        )
        job = ProfileCandidate(**vars(made), profiling=plan)
        timeout_s = self.limits.timeout_s + 4 * plan.budget_s
        limits = replace(self.limits, device=device != "cpu", host=True, timeout_s=timeout_s)
        return truth, self._sandbox.run(job, tensors, 2 * answer_bytes(program.reference.outputs), limits)

    @property
    def target_here(self) -> Target | None:
        """The figures of this machine's GPU; None where it is not a listed one."""
        return target_of(str(self.machine.facts.get("device", "")))

    def compiled(self, program: Program) -> Answer:
        """Compile a program's kernels in a child; the latest modules' are kept by digest."""
        if program.module is None:
            return self.call(program, self.truth(program.reference, Rung.COMPILE), Rung.COMPILE)
        module = program.module
        key = module.digest, self.compile_target
        if key not in self._compiled:
            if len(self._compiled) >= CACHED:
                self._compiled.pop(next(iter(self._compiled)))
            init = self.truth(module.reference, Rung.COMPILE).init if program.form == "class" else None
            encoded = encode_module(module, _visible_source(module, init))
            job = CompileKernels(encoded, asdict(get_target(self.compile_target)))
            self._compiled[key] = self._sandbox.run(job, (), 0, self.limits)
        return self._compiled[key]

    def offsets(self, module: KernelModule) -> Answer:
        """Whether a module's offsets fit in 32 bits at its reference's sizes, found without tensors of these sizes."""
        job = CheckOffsets(encode_module(module, _visible_source(module, None)))
        return self._sandbox.run(job, (), 0, self.limits)

    def call(
        self,
        program: "Program",
        truth: Truth,
        rung: Rung,
        zeros: bool = False,
        timed: bool = True,
        aligned: bool = False,
    ) -> Answer:
        """Make a candidate's calls: host code in one process, memory and kernels in another. With `zeros` the
        interpreter gives lanes without a value 0; if `timed`, its time may be estimated too; if `aligned`, all inputs
        begin at multiples of 16 bytes."""
        reference = program.reference
        calls: list[Call] = []
        tensors: list[RawTensor] = list(truth.built.values())
        modes = _modes(truth)
        for number, one in enumerate(truth.passes):
            places = iter(range(len(tensors), len(tensors) + len(one.given)))
            fresh = number % 2 == 1 and number < len(truth.passes) - 1
            calls.append(
                Call(
                    tuple(None if tensor is None else next(places) for tensor in one.inputs),
                    one.values(reference),
                    {name: next(places) for name in one.state},
                    fresh,
                    one.same(reference),
                    tuple(want.name for want in one.left_by(program.module is not None)),
                    one.draw.training,
                    mode=modes.get(number),
                    **one.drawing,
                )
            )
            oddly = number % 8 == 5 and program.module is None and rung is Rung.INTERPRET and not aligned
            before = _ODDLY_BEFORE if oddly else _BEFORE if number % 4 == 1 else 0
            tensors += [_inside(tensor, before) for tensor in one.given] if fresh and before else one.given
        if program.module is None and program.form == "class" and truth.sketch is None:
            calls = Changes(reference, truth, tensors, self._randomness).added(calls)
        if rung is not Rung.COMPILE and calls:
            calls[1:1] = [replace(calls[0], mode="")] * (self.repeats - 1)
        memory_bytes, device = int(self.limits.memory_gb * 2**30), "cuda" if rung is Rung.RUN else "cpu"
        made = calls[:1] if rung is Rung.COMPILE else calls
        job = replace(
            program.job(truth, self._build_seed, self._randomness.getrandbits(62), memory_bytes, device, made),
            timing=self._estimate_plan() if rung is Rung.RUN and self._samples and timed else None,
            rehearsals=self.rehearsals,
            free=tuple(spec.name for spec in reference.inputs if not truth.held.get(spec.name)),
            alike_in_eval=truth.alike_in_eval,
            alike_under_autocast=truth.alike_under_autocast,
            zeros=zeros,
        )
        room = (len(calls) + 1) * answer_bytes(reference.outputs)
        room += self.repeats * sum(want.eager.nbytes + 4096 for one in truth.passes for want in one.left)
        if rung is Rung.COMPILE:
            job = CompileCandidate(**vars(job), target=asdict(get_target(self.compile_target)))
        on_gpu = rung is Rung.RUN
        limits = replace(self.limits, device=on_gpu, host=True, lasting=program.module is not None)
        return self._sandbox.run(job, tensors, room, limits)

    def _estimate_plan(self) -> Sampling:
        """How a candidate's time is estimated."""
        plan = Timing(samples=(self._samples,) * 2, budget_s=1.0, warm_up_s=0.0, verify=1, facts=False)
        return replace(plan.plan(self._randomness.getrandbits(62)), graph=False, direct=1)

    def compiles_in(self, wanted: Sequence[Rung]) -> Rung:
        """The rung that compiles a candidate's kernels: running them does, where they are for the GPU that is there."""
        here = self.machine.facts.get("capability")
        alike = here is not None and 10 * here[0] + here[1] == get_target(self.compile_target).capability
        return Rung.RUN if alike and Rung.RUN in wanted else Rung.COMPILE


def _modes(truth: Truth) -> dict[int, str]:
    """The modes of calls that do not take their turn, by number: zeros tell little of what a mode changes. Where the
    reference gives something else under autocast, there are calls under it on ordinary inputs."""
    kinds = [one.draw.kind for one in truth.passes]
    found = {number: "" for number, kind in enumerate(kinds) if kind in (ZERO, EXTREME, COMPARED, TIES)}
    ordinary = [n for n, kind in enumerate(kinds) if 0 < n < len(kinds) - 1 and kind in ("given", "rows", "shifted")]
    return found | ({} if truth.alike_under_autocast else dict(zip(ordinary, AUTOCAST_MODES, strict=False)))


def _inside(tensor: RawTensor, before: int) -> RawTensor:
    """The same tensor as a part of a larger one, behind so many elements. Host code may read small tensors, but no
    parts of larger ones: small ones stay whole."""
    return replace(tensor, offset=before) if tensor.nbytes > ITEM_BYTES and not tensor.offset else tensor


def _number(seed: int | None, index: int) -> int:
    """A secret number, or the one that follows from `seed`."""
    return secrets.randbits(62) if seed is None else seed + index


def _visible_source(module: KernelModule, init: str | None) -> str:
    """What a candidate sees of the reference's file: nothing, or what building its class takes."""
    if module.launcher is None or module.launcher.form != "class":
        return ""
    if init is None:
        return module.reference.source
    entry = f"class {module.reference.entry}:\n    pass\n\n\n"
    takes = takes_line(module.reference.source)
    return f"{entry}def get_inputs():\n    return []\n\n\ndef get_init_inputs():\n    return {init}\n{takes}"
