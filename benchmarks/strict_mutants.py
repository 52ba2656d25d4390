"""Draw mutants by a seed from the suite, the examples and fourteen models' kernels; count strictly which are killed.

    python benchmarks/strict_mutants.py --out benchmarks/results/strict_mutants_cpu.json

A crash or a time-out kills no mutant. A mutant is equivalent only if its kernels have the same TTIR, or if its outputs
are the same to the bit on 10,000 draws of a generator that the judge does not use. Every survivor is listed. The file
gets every mutant's fate as it is found; the same command goes on from there, and begins again for other code.
"""

import argparse
import json
import random
import shlex
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from architectures import ARCHITECTURES, source
from row_lines import code_digest, write_result

from kernelwright.agent.evaluator import Status, Verdict, repeats
from kernelwright.backend.compile.same_kernel import compare_kernels
from kernelwright.backend.targets import get_target
from kernelwright.driver.campaigns.campaign import machine
from kernelwright.driver.compiling.kernel_by_kernel import pieces_of
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.evaluation.mutation.equivalence import Original
from kernelwright.evaluation.mutation.mutants import Mutant, mutants
from kernelwright.frontend.importers import import_file, import_source
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.errors import KernelwrightError, UserError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import Context
from kernelwright.ir.values import KernelModule

ROOT = Path(__file__).parent.parent
#: Mutants of one module among which one is drawn, spread over kinds and lines.
EACH = 24
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
    return [LowerInductor().run(import_file(path), Context())]


def models() -> Iterator[Source]:
    """The kernels of fourteen models in fp32 and bf16, each with the operations that it stands for."""
    for model in ARCHITECTURES:
        for precision in ("fp32", "bf16"):
            yield f"{model}_{precision}", partial(_kernels, model, precision)


def _kernels(model: str, precision: str) -> list[KernelModule]:
    program = import_source(source(model, precision), model, shrink="never")
    return [piece.module for piece in pieces_of(program).found]


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


def drawn(seed: int, chosen: Sequence[str]) -> Iterator[Drawn]:
    """Mutants without end, from each corpus in turn: one of its programs, one of its modules, one of its mutants."""
    chance = random.Random(seed)
    programs = {corpus: [(name, cache(make)) for name, make in CORPORA[corpus]()] for corpus in chosen}
    while True:
        for corpus, found in programs.items():
            name, make = chance.choice(found)
            place, number = chance.random(), chance.random()
            try:
                modules = make()
                at = int(place * len(modules))
                sample = mutants(modules[at], EACH, seed)
            except KernelwrightError as error:
                print(f"{corpus}/{name} is left out: {error}", file=sys.stderr)
                continue
            if sample:
                which = int(number * len(sample))
                yield Drawn(f"{corpus}/{name}/{at}#{which}", modules[at], sample[which])


def fate(one: Drawn, verdict: Verdict, draws: int) -> tuple[str, str]:
    """What became of a mutant, and why."""
    if verdict.status in _INVALID:
        return "invalid", str(verdict)[:300]
    if not verdict.ok:
        return "killed" if repeats(verdict) else "no verdict", str(verdict)[:300]
    if one.mutant.module.launcher == one.module.launcher and _same_ttir(one.module, one.mutant.module):
        return "equivalent", "the same TTIR"
    compared = 0
    for draw, same in Original(one.module).agreements(one.mutant, draws):
        if not same:
            return "survived", f"differs on {draw.name}, draw {compared}"
        compared += 1
    told = f"the same bits on {compared} draws"
    return ("equivalent" if compared == draws else "survived"), told


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
    command = shlex.join(["python", *sys.argv])
    head = {"command": command, "caliber": caliber, "summary": summary(rows), "survivors": left}
    write_result(out, head | {"rows": rows})


def main() -> int:
    """Run it; 0 if the score reaches the target, else 1."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/strict_mutants.json"))
    parser.add_argument("--count", type=int, default=300, help="mutants that compile and that the judge supports")
    parser.add_argument("--seed", type=int, default=0, help="seed of the sample and of the judge's draws")
    parser.add_argument("--draws", type=int, default=10_000, help="draws on which an equivalent mutant agrees")
    parser.add_argument("--corpora", nargs="*", default=list(CORPORA), choices=list(CORPORA))
    parser.add_argument("--target", type=float, default=0.97, help="the score to reach")
    arguments = parser.parse_args()
    out, code = arguments.out, code_digest("ir", "frontend", "backend", "kernelwright", "tests/suite", "examples")
    settings = {name: getattr(arguments, name) for name in ("seed", "draws", "corpora")}
    with LocalEvaluator(seed=arguments.seed, timeout_s=300, use_gpu=False) as evaluator:
        rungs = list(map(str, evaluator.rungs()))
        caliber = machine() | {"rungs": rungs, "seeds": evaluator.seeds, "code": code} | settings
        before = json.loads(out.read_text("utf-8")) if out.is_file() else {"caliber": {}}
        rows: dict[str, dict[str, Any]] = before["rows"] if before["caliber"] == caliber else {}
        right: dict[str, bool] = {}
        for one in drawn(arguments.seed, arguments.corpora):
            if summary(rows)["mutants"] >= arguments.count:
                break
            program = one.name.partition("#")[0]
            if program not in right:
                right[program] = evaluator.evaluate(one.module).ok
            if one.name in rows or not right[program]:
                continue
            start, verdict = time.perf_counter(), evaluator.evaluate(one.mutant.module)
            told, why = fate(one, verdict, arguments.draws)
            about = {"kind": one.mutant.kind, "line": one.mutant.line, "change": one.mutant.description}
            seconds = round(time.perf_counter() - start, 1)
            rows[one.name] = {"fate": told, **about, "detail": why, "seconds": seconds}
            write(out, rows, caliber)
            print(told, one.name, one.mutant.description, why, flush=True)
    found = summary(rows)
    print(json.dumps(found, indent=1))
    return 0 if found["score"] is not None and found["score"] >= arguments.target else 1


if __name__ == "__main__":
    sys.exit(main())
