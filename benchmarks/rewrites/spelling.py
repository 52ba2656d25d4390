"""Spell kernels otherwise, and see whether the rewrites on the kernel IR make the same kernels of them.

    python -m benchmarks.rewrites.spelling --problems problems.jsonl --out benchmarks/results/rewrites/spelling_cpu.json

Kernels are the golden cases' inputs and the evaluator's honest candidates, what Inductor gives for the examples and for
generated programs, and, with `--problems`, for the problems of a file (each line is {"level", "problem_id", "name",
"code"}, as in the data set ScalingIntelligence/KernelBench). Each program is lowered as usual and, if it reduces, with
loops over rows as well. The seed of a respelling is the program's number. A rewrite that changes one spelling has to
change the other as well, to kernels of equal normal form. The file of `--rows` gets each row as it is found, and the
same command goes on from there; rows of other code are made again. The results hold counts, and what differs by name;
they hold no code.
"""

import argparse
import math
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.rewrites.kernel_ir import problems
from benchmarks.row_lines import code_digest, command_line, write_result
from benchmarks.several_processes import Processes, TimeIsOverError, answer_in, journal_for
from kernelwright.driver.campaigns.campaign import machine
from kernelwright.driver.config.discovery import discover
from kernelwright.frontend.generate import generate_program
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.errors import KernelwrightError, UserError
from kernelwright.ir.kernel.analysis.axes import COMBINING
from kernelwright.ir.kernel.normal import normal_form
from kernelwright.ir.kernel.text.parsing import kernel_functions
from kernelwright.ir.passes import REGISTRY, Context, Declined
from kernelwright.ir.values import KernelModule

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from kernel_corpus import corpus  # noqa: E402 (of the tests' folder)
from respelling import respelt_module  # noqa: E402

#: The normal forms of kernels by symbol.
Forms = dict[str, str]


@dataclass(frozen=True)
class Subject:
    """One program of a corpus, by name, and how its modules are made."""

    corpus: str
    name: str
    source: str = ""
    shrink: str = "never"
    given: KernelModule | None = None

    def modules(self) -> Iterator[tuple[str, KernelModule]]:
        """Its kernels, under the lowerings that give them. Raises KernelwrightError where one gives none."""
        if self.given is not None:
            yield "", self.given
            return
        program = import_source(self.source, self.name, shrink=self.shrink)
        for persistent in (True, False):
            made = LowerInductor(persistent=persistent).run(program, Context(lowering_device="meta"))
            if made.kernels:
                yield "" if persistent else "loops", made
            if not any(one.kind in COMBINING for kernel in kernel_functions(made).values() for one in kernel.walk()):
                return


def subjects(arguments: argparse.Namespace) -> Iterator[Subject]:
    """Every program of every corpus."""
    for name, module in sorted(corpus().items()):
        yield Subject("golden and honest", name, given=module)
    for path in sorted((ROOT / "examples").glob("*.py")):
        yield Subject("examples", path.stem, path.read_text("utf-8"), "auto")
    if arguments.problems is not None:
        for name, source, shrink in problems(arguments.problems, None):
            yield Subject("problems", name, source, shrink)
    for seed in range(arguments.programs):
        yield Subject("generated programs", f"random_{seed}", generate_program(seed))


def row(subject: Subject, seed: int, passes: Iterable[str]) -> dict[str, Any]:
    """Which rewrites change the program, and those that make something else of it when it is spelt otherwise."""
    warnings.filterwarnings("ignore", message=".*make_block_ptr is deprecated")
    discover()
    start = time.perf_counter()
    fired, parted, kernels = Counter[str](), list[str](), 0
    try:
        for lowering, module in subject.modules():
            other = respelt_module(module, seed)
            kernels += len(module.kernels)
            for name in passes:
                one, two = rewritten(name, module), rewritten(name, other)
                if one is not None or two is not None:
                    fired[name] += 1
                    if one != two:
                        parted.append(" ".join(filter(None, (name, lowering, why(name, module, other, one, two)))))
    except KernelwrightError as error:
        return {"corpus": subject.corpus, "failed": f"{type(error).__name__}: {error}".splitlines()[0][:160]}
    seconds = round(time.perf_counter() - start, 2)
    return {"corpus": subject.corpus, "kernels": kernels, "fired": fired, "parted": parted, "seconds": seconds}


def rewritten(name: str, module: KernelModule) -> Forms | None:
    """The normal forms of the kernels that a pass makes; None where it changes nothing."""
    made = REGISTRY[name]().run(module, Context(target="h200"))
    if made is module:
        return None
    functions = kernel_functions(made)
    return {symbol: normal_form(one, functions) for symbol, one in functions.items() if one.entry}


def why(name: str, module: KernelModule, other: KernelModule, one: Forms | None, two: Forms | None) -> str:
    """What a pass makes otherwise of the respelt module, and the reasons that it gives where it changes nothing."""
    if one and two:
        return f"other kernels: {', '.join(sorted(key for key in {*one, *two} if one.get(key) != two.get(key)))}"
    said: list[Declined] = []
    REGISTRY[name]().run(module if two else other, Context(target="h200", declined=said.append))
    reasons = "; ".join(dict.fromkeys(reason.reason for reason in said))
    return ": ".join(filter(None, ("not as written" if two else "not as respelt", reasons)))


def summary(rows: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Counts by corpus: rewrites that fired on either spelling, and those of them that made the same of both."""
    found: dict[str, Any] = {}
    for name in dict.fromkeys(one["corpus"] for one in rows.values()):
        own = {key: one for key, one in rows.items() if one["corpus"] == name}
        read = {key: one for key, one in own.items() if "failed" not in one}
        fired = sum((Counter(one["fired"]) for one in read.values()), Counter[str]())
        parted = {key: one["parted"] for key, one in read.items() if one["parted"]}
        total, apart = sum(fired.values()), sum(map(len, parted.values()))
        found[name] = {
            "programs": len(read),
            "kernels": sum(one["kernels"] for one in read.values()),
            "fired": total,
            "same": total - apart,
            "share": round((total - apart) / total, 4) if total else None,
            "by_pass": dict(fired.most_common()),
            "parted": parted,
            "failed": {key: one["failed"] for key, one in own.items() if "failed" in one},
            "seconds": round(sum(one["seconds"] for one in read.values()), 1),
        }
    return found


def main() -> int:
    """Make the rows, and write what they say; 0 if at least 99% of all rewrites make the same of both spellings."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=Path, help="a JSON Lines file of problems; without it they are left out")
    parser.add_argument("--programs", type=int, default=1000, help="generated programs")
    parser.add_argument("--rows", type=Path, default=Path("runs/spelling.jsonl"), help="where rows are kept")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after so many seconds")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/rewrites/spelling.json"))
    arguments = parser.parse_args()
    if arguments.problems is not None and not arguments.problems.is_file():
        raise UserError(f"--problems {arguments.problems}: no such file")
    discover()
    passes = sorted(name for name, found in REGISTRY.items() if found.keeps is not None)
    code = code_digest("ir", "frontend", "midend", "backend", "tests")
    tasks = {
        f"{subject.corpus}/{subject.name}": partial(row, subject, seed, passes)
        for seed, subject in enumerate(subjects(arguments))
    }
    kept = journal_for(arguments.rows, {"code": code})
    with kept as journal, Processes(arguments.jobs, arguments.seconds) as processes:
        try:
            processes.answers_kept(journal, tasks)
        except TimeIsOverError:
            print(f"{len(tasks.keys() - journal.results)} programs are left: the same command goes on", file=sys.stderr)
            return 1
    rows = {name: answer_in(journal, name) for name in tasks}
    found = summary(rows)
    settings = {"problems": arguments.problems.name if arguments.problems else None, "programs": arguments.programs}
    fired, same = (sum(one[key] for one in found.values()) for key in ("fired", "same"))
    share = round(same / fired, 4) if fired else None
    content = {"command": command_line(), "caliber": machine() | {"code": code}, "settings": settings, "passes": passes}
    write_result(arguments.out, content | {"fired": fired, "same": same, "share": share, "summary": found})
    print(f"{same} of {fired} rewrites make the same of both spellings")
    return 0 if fired and same >= 0.99 * fired else 1


if __name__ == "__main__":
    sys.exit(main())
