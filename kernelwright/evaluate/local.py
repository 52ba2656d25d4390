"""The evaluator that runs on this machine: parse, compile, interpret, run, time."""

import random
import secrets
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.evaluate.correctness import Findings, compare
from kernelwright.evaluate.draws import Draw
from kernelwright.evaluate.link import Origin
from kernelwright.evaluate.program import Program
from kernelwright.evaluate.race import Race, Timing, timed_draws
from kernelwright.evaluate.sandbox import Answer, Limits, Sandbox, SandboxError
from kernelwright.evaluate.transport import encode_module
from kernelwright.evaluate.truth import Truth, TruthKeeper, answer_bytes
from kernelwright.evaluate.wire import RawTensor
from kernelwright.ir.dialect import Dialect
from kernelwright.ir.errors import Diagnostic, DialectError, UserError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.values import KernelModule, Reference, Resources
from kernelwright.ir.verifier import verify

#: What modules are compiled for where nothing else is said: sm_90.
DEFAULT_COMPILE_TARGET = "h100"
#: Kinds of inputs besides those given; the last is the last to be left out where memory is short.
_KINDS = ("negative", "shifted", "small", "large", "integers", "normal")
#: Python 3.11's `ast` keeps its depth in one place for all threads, and fails where two of them build trees.
SYNTAX = threading.RLock()
_LADDER = (Rung.PARSE, Rung.COMPILE, Rung.INTERPRET, Rung.RUN, Rung.TIME)
_FAILURES = {
    "compile_error": Status.COMPILE_ERROR,
    "runtime_error": Status.RUNTIME_ERROR,
    "unsupported": Status.UNSUPPORTED,
    "cheat": Status.CHEAT,
    "mismatch": Status.MISMATCH,
}


class LocalEvaluator:
    """Judges modules in sandboxed child processes of this machine; implements `Evaluator`.

    `target` is the target compiled for; with `interpreter` that is `compile_target`. `seeds` draws of inputs
    and weights are checked as given, and one of each other kind where the program is finite. `timeout_s` and
    `memory_gb` bound every job. `use_gpu` None means: where there is one. `seed` fixes the draws, which are
    secret otherwise. With `dialect` False any Python is let through the parse rung. With `externs` texts may
    call extern operators such as `aten.mm`; modules may call those that they name. `timing` says against what and
    how the time rung measures. Close it, or use it as a context manager; it may be used from several threads, which
    then wait for one another.
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
    ) -> None:
        if seeds < 1:
            raise UserError(f"seeds={seeds}: at least one is needed")
        self.target, self.dialect, self.seeds = target, dialect, seeds
        self._externs: frozenset[str] | None = None if externs else frozenset()
        self.compile_target = compile_target if target == "interpreter" else target
        self.limits = Limits(timeout_s=timeout_s, memory_gb=memory_gb)
        self._use_gpu = use_gpu
        self._sandbox = Sandbox()
        self._build_seed = _number(seed, 0)
        self._truths = TruthKeeper(self._sandbox, self._build_seed, _draws(seeds, seed), self.limits)
        self._timing = timing or Timing()
        self._timed_draws = timed_draws(lambda index: _number(seed, 101 + index))
        self._timed_truths = TruthKeeper(self._sandbox, self._build_seed, self._timed_draws, self.limits)
        self._randomness = random.Random(_number(seed, 100))
        self._lock = threading.RLock()
        self._machine: Mapping[str, Any] | None = None
        self._compiled: dict[tuple[str, str], Answer] = {}

    @property
    def worker_pid(self) -> int | None:
        """The worker's process id while it lives."""
        return self._sandbox.pid

    def rungs(self) -> tuple[Rung, ...]:
        """The rungs climbed by default: with a GPU the last is `run`, without one `interpret`."""
        return (Rung.PARSE, Rung.COMPILE, Rung.RUN if self.machine["gpu"] else Rung.INTERPRET)

    def evaluate(self, module: KernelModule, rungs: tuple[Rung, ...] | None = None) -> Verdict:
        """Climb the rungs in the ladder's order until one fails. Raises UserError for a module without kernels
        and for rungs that this evaluator or machine does not have; SandboxError where no worker starts."""
        if module.launcher is None:
            raise UserError(f"@{module.name} has no kernels yet; lower it first")
        with self._lock:
            wanted = self._checked(self.rungs() if rungs is None else rungs)
            with SYNTAX:
                program = Program.of_module(module)
            return self._climb(program, wanted)

    def _climb(self, program: Program, wanted: tuple[Rung, ...]) -> Verdict:
        climb = _Climb(self, program, wanted)
        for rung in wanted:
            failed = climb.step(rung)
            if failed is not None:
                return failed
        return climb.verdict(Status.OK, wanted[-1])

    def evaluate_text(
        self, text: str, reference: Reference, rungs: tuple[Rung, ...] | None = None, name: str = "candidate"
    ) -> Verdict:
        """Evaluate a program text, as a model writes it, against a reference; a text's own reference is ignored.

        Without the dialect any Python is let through that defines `ModelNew`; raises UserError as `evaluate` does.
        """
        if not self.dialect:
            with self._lock:
                wanted = self._checked(self.rungs() if rungs is None else rungs)
                return self._climb(Program(text, reference, name, externs=self._externs), wanted)
        try:
            with SYNTAX:
                module = parse_module(text, reference=reference, name=name, dialect=Dialect(self._externs))
        except DialectError as error:
            detail, found = _summary(error.diagnostics), error.diagnostics
            return Verdict(Status.UNPARSED, Rung.PARSE, detail, diagnostics=found, shrunken=reference.shrunken)
        return self.evaluate(replace(module, reference=reference), rungs)

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
        for rung in (Rung.RUN, Rung.TIME):
            if rung in rungs and not self.machine["gpu"]:
                raise UserError(f"rung {rung} needs a CUDA device; choose from parse, compile, interpret here")
        return tuple(rung for rung in _LADDER if rung in rungs)

    @property
    def machine(self) -> Mapping[str, Any]:
        """What a child finds out about this machine: `gpu` (bool) and `facts` for calibers."""
        if self._machine is None:
            gpu = self._use_gpu is not False and Path("/dev/nvidiactl").exists()
            limits = replace(self.limits, timeout_s=120.0, device=True)
            answer = self._sandbox.run({"kind": "describe", "gpu": gpu}, (), 0, limits)
            if answer.failure or answer.header.get("status") != "ok":
                raise SandboxError(f"this machine cannot be described: {answer.detail or answer.header}")
            if self._use_gpu and not answer.header["gpu"]:
                raise UserError("use_gpu=True, but torch finds no CUDA device here")
            self._machine = answer.header
        return self._machine

    def truth(self, reference: Reference, rung: Rung) -> Truth:
        """What the reference gives where the rung runs; kept."""
        return self._truths.get(reference, "cuda" if rung is Rung.RUN else "cpu")

    def race(self, program: Program, device: str = "cuda") -> tuple[Truth, Race, dict[str, Any] | None]:
        """Time a program against its baselines: what it was checked with, how it went, and `Race.times`."""
        truth = self._timed_truths.get(program.reference, device)
        name = str(self.machine["facts"].get("device", ""))
        race = Race(self._sandbox.run, self.limits, self._build_seed, self._randomness, self._timing, device, name)
        if truth.failure:
            return truth, race, None
        return truth, race, race.times(program, truth, self._timed_draws[: len(truth.passes)])

    def compiled(self, program: Program) -> Answer:
        """Compile a program's kernels in a child; a module's are kept by digest."""
        if program.module is None:
            return self.call(program, self.truth(program.reference, Rung.COMPILE), Rung.COMPILE)
        module = program.module
        key = module.digest, self.compile_target
        if key not in self._compiled:
            init = self.truth(module.reference, Rung.COMPILE).init if program.form == "class" else None
            job = {
                "kind": "compile",
                "module": encode_module(module, _visible_source(module, init)),
                "target": self.compile_target,
            }
            self._compiled[key] = self._sandbox.run(job, (), 0, self.limits)
        return self._compiled[key]

    def call(self, program: "Program", truth: Truth, rung: Rung) -> Answer:
        """Make a candidate's calls: host code in one process, memory and kernels in another."""
        reference = program.reference
        calls: list[dict[str, Any]] = []
        tensors: list[RawTensor] = list(truth.built.values())
        for number, one in enumerate(truth.passes):
            places = iter(range(len(tensors), len(tensors) + len(one.given)))
            calls.append(
                {
                    "inputs": [None if tensor is None else next(places) for tensor in one.inputs],
                    "values": [getattr(spec, "value", None) for spec in reference.inputs],
                    "state": {name: next(places) for name in one.state},
                    "fresh": number % 2 == 1,
                }
            )
            tensors += one.given
        paths = {spec.tensor.name: spec.path for spec in reference.state}
        job = {
            "kind": "candidate",
            "program": program.encode(truth, self._build_seed),
            "inputs": [spec.name for spec in reference.inputs],
            "state": [{"name": n, "path": paths.get(n, n), "built": i} for i, n in enumerate(truth.built)],
            "externs": None if program.externs is None else sorted(program.externs),
            "memory_bytes": int(self.limits.memory_gb * 2**30),
            "device": "cuda" if rung is Rung.RUN else "cpu",
            "compile": self.compile_target if rung is Rung.COMPILE else "",
            "calls": calls[:1] if rung is Rung.COMPILE else calls,
        }
        room = len(calls) * answer_bytes(reference.outputs)
        return self._sandbox.run(job, tensors, room, replace(self.limits, device=rung is Rung.RUN, host=True))


def _number(seed: int | None, index: int) -> int:
    """A secret number, or the one that follows from `seed`."""
    return secrets.randbits(62) if seed is None else seed + index


def _draws(seeds: int, seed: int | None) -> tuple[Draw, ...]:
    """Inputs as given, with the weights as built and then with others; and every other kind of inputs."""
    given = [Draw(_number(seed, 3 * i + 1), weights=_number(seed, 3 * i + 2) if i else None) for i in range(seeds)]
    kinds = [
        Draw(_number(seed, 3 * i + 1), kind, _number(seed, 3 * i + 2)) for i, kind in enumerate(_KINDS, len(given))
    ]
    return (*given, *kinds)


@dataclass
class _Climb:
    """One module's way up the ladder, and what was learnt on it."""

    owner: LocalEvaluator
    program: Program
    wanted: tuple[Rung, ...]
    findings: Findings = field(default_factory=Findings)
    resources: Mapping[str, Resources] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    walls: tuple[str, ...] = ()
    passes: int = 0
    times_ms: Mapping[str, float] = field(default_factory=dict)
    timing: Mapping[str, Any] = field(default_factory=dict)

    def step(self, rung: Rung) -> Verdict | None:
        """Try one rung; the verdict where it failed."""
        steps = {Rung.PARSE: self._parse, Rung.COMPILE: self._compile, Rung.TIME: self._time}
        return steps.get(rung, self._call)(rung)

    def verdict(
        self, status: Status, rung: Rung, detail: str = "", diagnostics: tuple[Diagnostic, ...] = ()
    ) -> Verdict:
        """The outcome with all that is known so far."""
        passed = self.wanted if status is Status.OK else self.wanted[: self.wanted.index(rung)]
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
        facts = dict(self.owner.machine["facts"])
        if not {Rung.RUN, Rung.TIME} & set(self.wanted):
            facts |= {"device": "interpreter", "driver": ""}
        tolerance = self.program.reference.tolerance
        return facts | {
            "compile_target": self.owner.compile_target if Rung.COMPILE in self.wanted else "",
            "seeds": self.owner.seeds,
            "passes": self.passes,
            "tolerance": tolerance.kind,
            "dialect": self.owner.dialect,
            "shrunken": self.program.reference.shrunken,
            "rungs": list(map(str, self.wanted)),
            "walls": list(self.walls),
            "notes": list(self.notes),
            **({"timing": dict(self.timing)} if self.timing else {}),
        }

    def _parse(self, rung: Rung) -> Verdict | None:
        if self.program.module is None:
            return None
        with SYNTAX:
            diagnostics = verify(self.program.module)
        if not diagnostics:
            return None
        return self.verdict(Status.UNPARSED, rung, _summary(diagnostics), diagnostics)

    def _compile(self, rung: Rung) -> Verdict | None:
        answer = self.owner.compiled(self.program)
        if answer.failure == "" and answer.header.get("status") == "ok":
            try:
                self.resources = _resources(answer.header["resources"])
                return None
            except (KeyError, TypeError, ValueError, AttributeError):
                return self.verdict(Status.COMPILE_ERROR, rung, "the compiler's answer is malformed")
        failed = self._failure(answer, rung)
        ours = self.program.module is not None and failed.status is Status.RUNTIME_ERROR
        return replace(failed, status=Status.COMPILE_ERROR) if ours else failed

    def _call(self, rung: Rung) -> Verdict | None:
        truth = self.owner.truth(self.program.reference, rung)
        if truth.failure:
            return self.verdict(truth.status, rung, truth.failure)
        self.notes = truth.notes
        answer = self.owner.call(self.program, truth, rung)
        if answer.failure or answer.header.get("status") != "ok":
            return self._failure(answer, rung)
        self.walls = tuple(answer.header["walls"])
        mismatch = self._judge(truth, answer)
        if mismatch:
            return self.verdict(Status.MISMATCH, rung, mismatch)
        idle = self._unproduced(truth, answer)
        return self.verdict(Status.CHEAT, rung, idle) if idle else None

    def _time(self, rung: Rung) -> Verdict | None:
        truth, race, found = self.owner.race(self.program)
        if truth.failure:
            return self.verdict(truth.status, rung, truth.failure)
        self.findings = self.findings.worst(race.findings)
        if race.findings.mismatch:
            return self.verdict(Status.MISMATCH, rung, f"{race.findings.mismatch} [a timed call]")
        if found is None:
            assert race.failed is not None, "no times, and nothing that failed"
            return self._failure(race.failed, rung)
        self.times_ms = found.pop("times_ms")
        self.timing = found
        return None

    def _judge(self, truth: Truth, answer: Answer) -> str:
        """Compare every call with what it should have given; "" or the first mismatch."""
        first = ""
        for one, call in zip(truth.passes, answer.header["calls"], strict=True):
            outputs = [answer.tensors[place] for place in call["outputs"]]
            modified = [name for name in call["modified"] if name in one.kept]
            found = compare(one.expected, outputs, self.program.reference.tolerance)
            self.findings, self.passes = self.findings.worst(found), self.passes + 1
            mismatch = f"input {modified[0]} was modified" if modified else found.mismatch
            single = self.program.reference.returns == "tensor"
            exact = self.program.form == "class"  # the native form returns the output itself where there is one
            if exact and not mismatch and single is not (call["kind"] == "tensor"):
                mismatch = f"it returns a {call['kind']} where the reference returns a {self.program.reference.returns}"
            weights = ", perturbed weights" if one.perturbed else ""
            first = first or (f"{mismatch} [inputs {one.kind}{weights}]" if mismatch else "")
        unbound = answer.header["notes"]
        if first and unbound:
            first += f"; it holds {', '.join(unbound)} under no name and with no content of the reference's"
        return first

    def _unproduced(self, truth: Truth, answer: Answer) -> str:
        """Which output no kernel had a part in; "" where each was produced, or where there is nothing to compute."""
        if truth.movement:
            return ""
        for one, call in zip(truth.passes, answer.header["calls"], strict=True):
            for want, origin in zip(one.expected, call["origins"], strict=True):
                moved = origin == Origin.GIVEN and call["launches"]
                if want.eager.nbytes and origin != Origin.KERNEL and not moved:
                    return f"no kernel has a part in output {want.name}"
        return ""

    def _failure(self, answer: Answer, rung: Rung) -> Verdict:
        """A job that gave no result, as a verdict."""
        if answer.failure == "timeout":
            return self.verdict(Status.TIMEOUT, rung, answer.detail)
        detail = answer.detail or str(answer.header.get("detail", "failed without saying why"))
        if answer.header.get("status") == "memory":
            detail = f"ran out of memory, of which it may take {self.owner.limits.memory_gb:g} GB: {detail}"
        status = _FAILURES.get(str(answer.header.get("status")), Status.RUNTIME_ERROR)
        return self.verdict(status, rung, detail, _diagnostics(answer.header.get("diagnostic")))


def _summary(diagnostics: tuple[Diagnostic, ...]) -> str:
    more = f" (and {len(diagnostics) - 1} more)" if len(diagnostics) > 1 else ""
    return f"{diagnostics[0]}{more}"


def _resources(content: Mapping[str, Mapping[str, Any]]) -> dict[str, Resources]:
    names = ("registers", "spill_bytes", "shared_bytes")
    return {str(symbol): Resources(*(int(item[name]) for name in names)) for symbol, item in content.items()}


def _diagnostics(content: object) -> tuple[Diagnostic, ...]:
    """The diagnostic in a child's answer, where it is one."""
    if not isinstance(content, dict):
        return ()
    texts = {name: str(content.get(name, "")) for name in ("message", "text", "kernel")}
    line, column = content.get("line"), content.get("column")
    if not isinstance(line, int) or not isinstance(column, int):
        return ()
    return (Diagnostic(line=line, column=column, **texts),)


def _visible_source(module: KernelModule, init: str | None) -> str:
    """What a candidate sees of the reference's file: nothing, or what building its class takes."""
    if module.launcher is None or module.launcher.form != "class":
        return ""
    if init is None:
        return module.reference.source
    entry = f"class {module.reference.entry}:\n    pass\n\n\n"
    return f"{entry}def get_inputs():\n    return []\n\n\ndef get_init_inputs():\n    return {init}\n"
