"""Modules as an agent is given them: read from problems or pairs, and judged for rewards that compare with them."""

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from queue import SimpleQueue
from typing import Protocol

from kernelwright.agent.evaluating import Evaluate, Rungs, judge_all
from kernelwright.agent.evaluator import Verdict
from kernelwright.agent.trajectory import Trajectory
from kernelwright.driver.campaigns.problem_sources import read_programs
from kernelwright.driver.campaigns.programs import Program
from kernelwright.driver.config.settings import Device, ImportSettings
from kernelwright.driver.config.train_settings import ProblemSettings
from kernelwright.driver.run.build import import_reference, silent
from kernelwright.evaluation.pools.pool import usable_cores
from kernelwright.evaluation.sandbox.parent import Sandbox
from kernelwright.ir.errors import KernelwrightError, UserError
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import parse_pipeline
from kernelwright.ir.values import KernelModule, Reference
from kernelwright.rl.data.rows import FRONTEND, Pair, read_lines, read_rows

#: The most programs that are read at a time; the process that reads one takes up to half a GB.
_AT_A_TIME = 8


def paired_modules(problems: ProblemSettings, stage: str) -> list[KernelModule] | None:
    """What the pairs of a file are given, each module once; None where the place holds no pairs.

    Raises UserError where none is of the stage and the split.
    """
    path = Path(problems.place or "")
    if path.suffix != ".jsonl" or not path.is_file():
        return None
    if "before" not in next((content for _, content in read_lines(path)), {}):
        return None
    found: dict[str, KernelModule] = {}
    for pair in read_rows(path, Pair):
        if pair.stage == stage and problems.split in (None, pair.split):
            name = "".join(letter if letter.isalnum() else "_" for letter in pair.id)
            module = replace(pair.question(), name=name)
            found.setdefault(module.digest, module)
    if not found:
        split = "" if problems.split is None else f" and the split {problems.split}"
        way_out = "give another stage=…, problems.split=… or file"
        raise UserError(f"problems.place={path}: it holds no pairs of the stage {stage}{split}; {way_out}")
    return list(found.values())


class Reading(Protocol):
    """Settings with what reading a program needs."""

    @property
    def importing(self) -> ImportSettings: ...

    @property
    def plain(self) -> "Seeded": ...


class Seeded(Protocol):
    """Settings with the seed of passes that draw numbers."""

    seed: int


def read_modules(
    problems: ProblemSettings,
    stage: str,
    target: str,
    settings: Reading,
    aside: Callable[[str, str], None] = lambda _name, _cause: None,
    limit: int | None = None,
) -> list[KernelModule]:
    """The modules that an agent works on: references for the frontend, what `start` makes of them for the mid-end; what
    pairs begin with, where the place is a file of them.

    They are of the first `limit` problems. Problems that cannot be read or lowered are left out, and `aside` is told
    their names and why; UserError where none is left.
    """
    if (paired := paired_modules(problems, stage)) is not None:
        return paired
    programs = read_programs(problems)[:limit]
    modules: list[KernelModule] = []
    first = ""
    with closing(_read_side_by_side(programs, settings.importing)) as references:
        for one, reference in zip(programs, references, strict=True):
            try:
                modules.append(_module(one, reference, problems.start, stage, target, settings.plain.seed))
            except KernelwrightError as error:
                cause = " ".join(str(error).split())
                first = first or f"{one.name}: {cause}"
                aside(one.name, cause)
    if not modules:
        why = f"; {first}" if first else ""
        raise UserError(f"no problem of {len(programs)} could be read and lowered{why}")
    return modules


def _read_side_by_side(
    programs: Sequence[Program], importing: ImportSettings
) -> Generator[Reference | KernelwrightError]:
    """What each program computes, or why it cannot be read, in their order. On a GPU a program takes 0.3 s, most of
    which its process needs to begin: several are read at a time."""
    workers = max(1, min(usable_cores(), _AT_A_TIME, len(programs)))
    free = SimpleQueue[Sandbox]()
    with ExitStack() as stack:
        for _ in range(workers):
            free.put(stack.enter_context(Sandbox()))

        def read(program: Program) -> Reference | KernelwrightError:
            worker = free.get()
            try:
                return import_reference(program.source, program.name, importing, Device.auto, worker)
            except KernelwrightError as error:
                return error
            finally:
                free.put(worker)

        yield from stack.enter_context(ThreadPoolExecutor(workers)).map(read, programs)


def _module(
    program: Program, read: Reference | KernelwrightError, start: str, stage: str, target: str, seed: int
) -> KernelModule:
    """Raises KernelwrightError for a program that could not be read or cannot be lowered."""
    if isinstance(read, KernelwrightError):
        raise read
    module = KernelModule(program.module_name, read)
    if stage == FRONTEND:
        return module
    context = Context(target, None, seed, silent)
    for one in parse_pipeline(start).passes:
        module = one.run(module, context)
    return module


@dataclass
class Given:
    """Judges modules as they are, each once; `say` is told of those that cannot be compared with."""

    evaluate: Evaluate
    rungs: Rungs
    say: Callable[[str], None]
    _known: dict[str, Verdict] = field(default_factory=dict)

    def rolled(
        self,
        modules: Sequence[KernelModule],
        roll: Callable[[Sequence[KernelModule], Sequence[Verdict]], list[Trajectory]],
    ) -> list[Trajectory]:
        """Trajectories of those modules that can be compared with, numbered among all of them."""
        places, before = self.timed(modules)
        made = roll([modules[place] for place in places], before)
        return [replace(one, problem=places[one.problem]) for one in made]

    def timed(self, modules: Sequence[KernelModule]) -> tuple[list[int], list[Verdict]]:
        """The places of the modules that are right and have a time, and their verdicts. Raises UserError where none has
        one."""
        fresh = [module for module in modules if module.digest not in self._known]
        for module, verdict in zip(fresh, judge_all(fresh, self.evaluate, self.rungs), strict=True):
            if module.digest not in self._known and not _has_time(verdict):
                self.say(f"@{module.name} is left out, because it has no time to compare with: {verdict}")
            self._known[module.digest] = verdict
        found = [place for place, module in enumerate(modules) if _has_time(self._known[module.digest])]
        if not found:
            raise UserError(
                "none of a step's modules has a time to compare with; evaluate with the rung time, or with run and "
                "evaluator.samples=30, on a GPU"
            )
        return found, [self._known[modules[place].digest] for place in found]


def _has_time(verdict: Verdict) -> bool:
    return verdict.ok and "candidate" in verdict.times_ms
