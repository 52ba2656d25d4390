"""Draw mutants by a seed from the suite, the examples and fourteen models' kernels; count strictly which are killed.

    python -m benchmarks.judge.strict_mutants --jobs 16 --out benchmarks/results/judge/strict_mutants_cpu.json

A crash or a time-out kills no mutant. A mutant is equivalent only if its kernels have the same TTIR, or if its outputs
are the same to the bit on 10,000 draws of a generator that the judge does not use. Every survivor is listed. Answers
are kept as they are found; the same command goes on from there, and begins again for other code.
"""

import argparse
import json
import os
import pickle
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from benchmarks.caliber import add_commit, caliber_of
from benchmarks.judge.architectures import ARCHITECTURES, source
from benchmarks.row_lines import code_digest, command_line, write_result
from benchmarks.several_processes import Processes, TimeIsOverError, answer_in, journal_for
from kernelwright.agent.evaluator import Status, Verdict, repeats
from kernelwright.backend.compile.same_kernel import compare_kernels
from kernelwright.backend.targets import get_target
from kernelwright.driver.campaigns.campaign import machine
from kernelwright.driver.compiling.kernel_by_kernel import pieces_of
from kernelwright.driver.run.journal import Journal
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.evaluation.mutation.equivalence import Original
from kernelwright.evaluation.mutation.mutants import Mutant, mutants
from kernelwright.frontend.importers import import_file, import_source
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.errors import KernelwrightError, UserError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule

ROOT = Path(__file__).parents[2]
#: Mutants of one module among which one is drawn, spread over kinds and lines.
EACH = 24
#: What is not known before outputs are compared: on so many draws in one task, and on how many draws at most for one
#: on which the module itself runs.
OPEN, AT_ONCE, AT_ONCE_ON_GPU, MOST_PLACES = "open", 200, 1000, 8
#: Programs are lowered as on a machine without a GPU, whether there is one or not.
_CPU = Context(lowering_device="cpu")
_INVALID = (Status.COMPILE_ERROR, Status.UNPARSED, Status.UNSUPPORTED)
#: A program's name, and what makes its modules.
Source = tuple[str, Callable[[], list[KernelModule]]]


def suite() -> Iterator[Source]:
    """The honest candidates of the evaluator's suite that the dialect takes and that need no GPU, by name."""
    sys.path.insert(0, str(ROOT / "tests" / "suite"))
    from cases import load_cases

    for case in load_cases("honest"):
        if not case.needs_gpu and not case.refused:
            yield case.path.stem, partial(_candidate, case.text, case.reference_path)


def _candidate(text: str, reference: Path) -> list[KernelModule]:
    computed = import_file(reference).reference
    return [replace(parse_module(text, reference=computed, name=reference.stem), reference=computed)]


def examples() -> Iterator[Source]:
    """The examples, lowered."""
    for path in sorted((ROOT / "examples").glob("*.py")):
        yield path.stem, partial(_lowered, path)


def _lowered(path: Path) -> list[KernelModule]:
    return [LowerInductor().run(import_file(path), _CPU)]


def models() -> Iterator[Source]:
    """The kernels of fourteen models in fp32 and bf16, each with the operations that it stands for."""
    for model in ARCHITECTURES:
        for precision in ("fp32", "bf16"):
            yield f"{model}_{precision}", partial(_kernels, model, precision)


def _kernels(model: str, precision: str) -> list[KernelModule]:
    program = import_source(source(model, precision), model, shrink="never")
    return [piece.module for piece in pieces_of(program, ctx=_CPU).found]


CORPORA: Mapping[str, Callable[[], Iterator[Source]]] = {
    "suite": suite,
    "examples": examples,
    "models": models,
}


@dataclass(frozen=True)
class Drawn:
    """A mutant, its module, and the name of both: corpus, program, place of the module and of the mutant."""

    name: str
    module: KernelModule
    mutant: Mutant


@dataclass(frozen=True)
class Ticket:
    """What chance says of one mutant: its program, and where its module and it are, as shares of how many there are.

    `folder` keeps programs' modules, which take long to make.
    """

    place: int
    seed: int
    corpus: str
    program: str
    module: float
    mutant: float
    folder: Path

    @property
    def key(self) -> str:
        """Its name before anything is known of it."""
        return f"ticket {self.place}"

    def drawn(self) -> Drawn | None:
        """The mutant; None if the program cannot be made, or has none."""
        modules = self.modules()
        if not modules:
            return None
        at = int(self.module * len(modules))
        sample = _sample(modules[at], self.seed)
        which = int(self.mutant * len(sample))
        name = f"{self.corpus}/{self.program}/{at}#{which}"
        return Drawn(name, modules[at], sample[which]) if sample else None

    def modules(self) -> list[KernelModule]:
        """The program's modules, made if nobody did so before; none if it cannot be made."""
        place = self.folder / f"{self.corpus}-{self.program}.pickle"
        if not place.is_file():
            made = _made(self.corpus, self.program)
            place.parent.mkdir(parents=True, exist_ok=True)
            unfinished = place.with_suffix(f".{os.getpid()}")
            unfinished.write_bytes(pickle.dumps(made))
            unfinished.replace(place)
        found: list[KernelModule] = pickle.loads(place.read_bytes())
        return found


def _made(corpus: str, program: str) -> list[KernelModule]:
    try:
        return dict(CORPORA[corpus]())[program]()
    except KernelwrightError as error:
        print(f"{corpus}/{program} is left out: {error}", file=sys.stderr)
        return []


@lru_cache(maxsize=64)
def _sample(module: KernelModule, seed: int) -> tuple[Mutant, ...]:
    return mutants(module, EACH, seed)


def tickets(seed: int, chosen: Sequence[str], folder: Path) -> Iterator[Ticket]:
    """Without end, from each corpus in turn: one of its programs, one of its modules, one of its mutants."""
    chance = random.Random(seed)
    programs = {corpus: [name for name, _ in CORPORA[corpus]()] for corpus in chosen}
    turns = cycle(programs.items())
    for place, (corpus, names) in enumerate(turns):
        yield Ticket(place, seed, corpus, chance.choice(names), chance.random(), chance.random(), folder)


@cache
def _evaluator(seed: int) -> LocalEvaluator:
    """This process's own."""
    return LocalEvaluator(seed=seed, timeout_s=300, use_gpu=False)


@cache
def _is_right(seed: int, module: KernelModule) -> bool:
    return _evaluator(seed).evaluate(module).ok


def judged(ticket: Ticket) -> dict[str, Any]:
    """What became of a ticket's mutant; without a `name` if there is none, or if its module is not right."""
    start, one = time.perf_counter(), ticket.drawn()
    if one is None or not _is_right(ticket.seed, one.module):
        return {}
    told, why = fate(one, _evaluator(ticket.seed).evaluate(one.mutant.module))
    about = {"kind": one.mutant.kind, "line": one.mutant.line, "change": one.mutant.description}
    return {"name": one.name, "fate": told, **about, "detail": why, "seconds": round(time.perf_counter() - start, 1)}


def fate(one: Drawn, verdict: Verdict) -> tuple[str, str]:
    """What became of a mutant, and why; `OPEN` if its outputs are to be compared."""
    if verdict.status in _INVALID:
        return "invalid", str(verdict)[:300]
    if not verdict.ok:
        return "killed" if repeats(verdict) else "no verdict", str(verdict)[:300]
    if one.mutant.module.launcher == one.module.launcher and _same_ttir(one.module, one.mutant.module):
        return "equivalent", "the same TTIR"
    return OPEN, ""


def compared(ticket: Ticket, places: range, on_gpu: bool) -> dict[str, Any]:
    """On how many draws in these places a mutant gave the `same` bits, and the draw on which it `differs`, if any."""
    one, same = ticket.drawn(), 0
    assert one is not None
    original = Original(one.module)
    agreements = original.agreements_on_gpu if on_gpu else original.agreements
    for draw, agrees in agreements(one.mutant, places):
        if not agrees:
            return {"same": same, "differs": f"{draw.name}, draw {draw.seed}"}
        same += 1
    return {"same": same, "differs": ""}


def _same_ttir(module: KernelModule, other: KernelModule) -> bool:
    """Whether Triton says so of every launch, at several block sizes."""
    try:
        found = compare_kernels(module, other, get_target("h100"))
    except UserError:  # launches depend on values of tensors
        return False
    return bool(found.equal) and not found.unequal


def summary(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Counts by fate and corpus, and the share of mutants killed among those that are valid and not equivalent."""
    fates = Counter(one["fate"] for one in rows.values())
    killed, missed = fates["killed"], fates["survived"] + fates["no verdict"]
    corpora = {corpus: sum(name.startswith(f"{corpus}/") for name in rows) for corpus in CORPORA}
    counted = {"mutants": len(rows) - fates["invalid"], "by_corpus": corpora, **dict(sorted(fates.items()))}
    return counted | {"score": round(killed / (killed + missed), 4) if killed + missed else None}


def write(out: Path, rows: dict[str, dict[str, Any]], caliber: Mapping[str, Any]) -> None:
    """Replace the file."""
    left = {name: one for name, one in rows.items() if one["fate"] in ("survived", "no verdict")}
    command = command_line()
    head = {"command": command, "caliber": caliber, "summary": summary(rows), "survivors": left}
    write_result(out, head | {"rows": rows})


@dataclass(frozen=True)
class Run:
    """One command's work: `count` mutants of tickets in their order, judged, and compared on `draws` if that is open.

    Its methods raise TimeIsOverError if there is more to do.
    """

    journal: Journal
    processes: Processes
    tickets: Iterator[Ticket]
    count: int
    draws: int
    on_gpu: bool = False

    def rows(self) -> dict[str, dict[str, Any]]:
        """Every mutant by its name."""
        taken = self._judged()
        settled = self._settled([one for one in taken.values() if self._row(one)["fate"] == OPEN])
        rows = {name: self._row(ticket) | settled.get(ticket, {}) for name, ticket in taken.items()}
        return {name: {key: one[key] for key in one if key != "name"} for name, one in rows.items()}

    def _row(self, ticket: Ticket) -> dict[str, Any]:
        return answer_in(self.journal, ticket.key)

    def _judged(self) -> dict[str, Ticket]:
        """Tickets of so many mutants by name, in the order in which they were drawn."""
        drawn: list[Ticket] = []
        while True:
            taken: dict[str, Ticket] = {}
            valid = 0
            for ticket in drawn:
                row = self._row(ticket)
                if row and row["name"] not in taken and valid < self.count:
                    taken[row["name"]] = ticket
                    valid += row["fate"] != "invalid"
            if valid == self.count:
                return taken
            drawn += (some := list(islice(self.tickets, (self.count - valid) * 9 // 8 + 1)))
            self.processes.answers_kept(self.journal, {one.key: partial(judged, one) for one in some})

    def _settled(self, unsettled: Sequence[Ticket]) -> dict[Ticket, dict[str, Any]]:
        """Whether these mutants survived or are equivalent."""
        found: dict[Ticket, dict[str, Any]] = {}
        asked: dict[Ticket, list[str]] = {ticket: [] for ticket in unsettled}
        reached = dict.fromkeys(unsettled, 0)
        while len(found) < len(asked):
            tasks = {}
            for ticket, keys in asked.items():
                answers = [answer_in(self.journal, key) for key in keys]
                same = sum(one["same"] for one in answers)
                differs = next((one["differs"] for one in answers if one["differs"]), "")
                begin = reached[ticket]
                if differs or same >= self.draws or begin >= MOST_PLACES * self.draws:
                    told = f"differs on {differs}" if differs else f"the same bits on {same} draws"
                    fate = "survived" if differs or same < self.draws else "equivalent"
                    found[ticket] = {"fate": fate, "detail": told}
                    continue
                end = begin + (self.draws - same if keys else 1)  # the first ones tell most, interpreted
                on_gpu = self.on_gpu and begin > 0
                step = AT_ONCE_ON_GPU if on_gpu else AT_ONCE
                for first in range(begin, end, step):
                    keys.append(f"{ticket.key} on draws from {first}")
                    tasks[keys[-1]] = partial(compared, ticket, range(first, first + step), on_gpu)
                    reached[ticket] = first + step
            self.processes.answers_kept(self.journal, tasks)
        return found


def main() -> int:
    """Run it; 0 if the score reaches the target, else 1; 3 if time is over."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/judge/strict_mutants.json"))
    parser.add_argument("--journal", type=Path, default=Path("runs/strict_mutants.jsonl"), help="answers so far")
    parser.add_argument("--modules", type=Path, default=Path("runs/strict_modules"), help="folder of programs' modules")
    parser.add_argument("--count", type=int, default=300, help="mutants that compile and that the judge supports")
    parser.add_argument("--seed", type=int, default=0, help="seed of the sample and of the judge's draws")
    parser.add_argument("--draws", type=int, default=10_000, help="draws on which an equivalent mutant agrees")
    parser.add_argument("--corpora", nargs="*", default=list(CORPORA), choices=list(CORPORA))
    parser.add_argument("--target", type=float, default=0.97, help="the score to reach")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--gpu", action="store_true", help="compare compiled kernels where the interpreter agrees")
    add_commit(parser)
    parser.add_argument("--seconds", type=float, default=1e6, help="after which the command ends; the same goes on")
    arguments = parser.parse_args()
    code = code_digest("ir", "frontend", "backend", "kernelwright", "tests/suite", "examples")
    settings = {name: getattr(arguments, name) for name in ("seed", "corpora")}
    caliber = machine() | {"code": code, "compared": "compiled" if arguments.gpu else "interpreted"} | settings
    drawn = tickets(arguments.seed, arguments.corpora, arguments.modules / code)
    kept = journal_for(arguments.journal, caliber)
    with kept as journal, Processes(arguments.jobs, arguments.seconds) as processes:
        try:
            rows = Run(journal, processes, drawn, arguments.count, arguments.draws, arguments.gpu).rows()
        except TimeIsOverError:
            print(f"time is over: {len(journal.results)} answers are kept; the same command goes on", file=sys.stderr)
            return 3
    told = caliber_of(arguments.commit, **caliber, draws=arguments.draws, count=arguments.count)
    write(arguments.out, rows, told)
    found = summary(rows)
    print(json.dumps(found, indent=1))
    return 0 if found["score"] is not None and found["score"] >= arguments.target else 1


if __name__ == "__main__":
    sys.exit(main())
