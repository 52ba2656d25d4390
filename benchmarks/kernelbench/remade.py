"""Make the winners of a run of `kernelbench.py` again, and time the ones that changed beside the texts of then.

    python -m benchmarks.kernelbench.remade make --problems kernelbench.jsonl --modules runs/remade/after.jsonl
    python -m benchmarks.kernelbench.remade compare --modules runs/remade/after.jsonl \\
        --before runs/remade/before.jsonl --out benchmarks/results/kernelbench/remade_h200.json --jobs 4 --seconds 480

`make` runs the pipeline of every row of `--results`. Its file has a module for each, with the problem's code, and is
nothing to commit. The texts of then are made in the same way by the code of then: check out the commit that wrote the
results, and run each pipeline there by shapes alone. A text whose digest is that of the row is the text that was
measured. A pipeline that names a kernel which has another name now runs with `--renamed PROBLEM:OLD=NEW`.

`compare` compares Triton's IR of every launch, and how the host code wires them. What is equal counts as 1.00 and is
not timed. The judge checks every other module, which then runs in turns with the one of then in one process, on the
same inputs, caches cold. OUT.journal gets every row as it is found, and the same command goes on from there; after
`--seconds` nothing more is begun. Without a GPU nothing is timed: with `--equal-only` OUT tells what is equal.
"""

import argparse
import json
import math
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.caliber import add_commit, caliber_of
from benchmarks.kernelbench.kernelbench import read_problems, settings_for
from benchmarks.kernelbench.kernelbench_memory import Shares, device_bytes
from benchmarks.kernelbench.side_by_side import BEFORE, TRIALS, Question, work_off
from benchmarks.rewrites.handwritten_gpu import geomean
from benchmarks.row_lines import command_line, read_json, write_result
from kernelwright.backend.compile.compiler import lower_launch
from kernelwright.backend.compile.ttir_form import form
from kernelwright.backend.launch.execute import Launch, trace_launches
from kernelwright.backend.targets import Target, get_target
from kernelwright.driver.campaigns.programs import Program
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.run.journal import Journal
from kernelwright.frontend.importers import import_source
from kernelwright.ir.errors import KernelwrightError, LoweringError, UserError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import parse_pipeline
from kernelwright.ir.printer import print_module
from kernelwright.ir.values import KernelModule, TensorSpec

RESULTS = Path(__file__).parents[1] / "results/kernelbench/kernelbench_h200.json"
#: Below this a winner that was made again is slower than the one of then.
SLOWER = 0.95


def made(program: Program, spec: str, made_with: Mapping[str, Any]) -> KernelModule:
    """What a pipeline makes of a problem today, by shapes alone; on tensors where that does not do."""
    bare = import_source(program.source, program.module_name, shrink="never", numerics=made_with["numerics"])
    pipeline, target = parse_pipeline(spec), made_with["target"]
    try:
        found = pipeline.run(bare, Context(target, lowering_device="meta"))
    except LoweringError:
        found = pipeline.run(bare, Context(target))
    return replace(found, target=target, provenance=bare.provenance)


def renamed(row: Mapping[str, Any], names: Sequence[str]) -> str:
    """The row's pipeline with kernels by the names that they have now; each of `names` is PROBLEM:OLD=NEW."""
    spec: str = row["spec"]
    for text in names:
        problem, _, change = text.partition(":")
        old, equals, new = change.partition("=")
        if not equals:
            raise UserError(f"--renamed {text}: write PROBLEM:OLD=NEW, as 1_91:flip_cumsum=flip_cumsum_flip")
        if problem == row["id"]:
            spec = re.sub(rf"\b{re.escape(old)}(?=: )", new, spec)
    return spec


def make(arguments: argparse.Namespace) -> int:
    """Write a module for every row; 0 if every pipeline gives one."""
    content = read_json(arguments.results, "--results")
    wanted = frozenset(row["id"] for row in content["results"])
    programs = {one.name: one for one in read_problems(arguments.problems, frozenset(), wanted, (1, 1))}
    failed = []
    arguments.modules.parent.mkdir(parents=True, exist_ok=True)
    with arguments.modules.open("w", encoding="utf-8") as file:
        for row in content["results"]:
            name, spec = row["id"], renamed(row, arguments.renamed)
            found = {"id": name, "spec": spec}
            try:
                module = made(programs[name], spec, content["made_with"])
                found |= {"digest": module.digest, "module": print_module(module)}
            except KernelwrightError as error:
                failed.append(name)
                found |= {"failed": f"{type(error).__name__}: {error}".partition("\n")[0]}
            print(json.dumps(found), file=file, flush=True)
            print(name, found.get("failed", "as then" if found.get("digest") == row["digest"] else "otherwise"))
    return 1 if failed else 0


def read_modules(path: Path) -> dict[str, dict[str, Any]]:
    """The rows of a file of `make`, or of a journal of `kernelbench.py`, by problem. Raises UserError."""
    try:
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: {error}; `make` writes such a file") from error
    return {row["id"]: row for row in lines if "id" in row}


def same_programs(before: KernelModule, after: KernelModule, target: Target) -> bool:
    """Whether two modules launch kernels of equal TTIR on the same tensors: nothing is left to time."""
    if before.kernels == after.kernels and before.launcher == after.launcher:
        return True
    launches = [trace_launches(module) for module in (before, after)]
    if [_wiring(one) for one in launches[0]] != [_wiring(one) for one in launches[1]]:
        return False
    if _host(before, launches[0]) != _host(after, launches[1]):
        return False
    return all(
        form(lower_launch(before, one, target)) == form(lower_launch(after, other, target))
        for one, other in zip(*launches, strict=True)
    )


def _wiring(launch: Launch) -> tuple[Any, ...]:
    """What a launch is given, whatever its kernel and its parameters are called."""
    given = tuple(replace(value, name="") if isinstance(value, TensorSpec) else value for _, value in launch.args)
    return launch.grid, given, tuple(sorted(launch.options.items())), len(launch.misaligned)


def _host(module: KernelModule, launches: Sequence[Launch]) -> str:
    """The launcher's text with kernels and their options named by the order of their launches."""
    assert module.launcher is not None
    symbols = list(dict.fromkeys(one.symbol for one in launches))
    places = {f"{symbol}{end}": f"{place}{end}" for place, symbol in enumerate(symbols) for end in ("", "_meta")}
    return re.sub(r"\w+", lambda word: places.get(word[0], word[0]), module.launcher.source)


def sorted_out(
    rows: Sequence[Mapping[str, Any]], before: Mapping[str, Any], after: Mapping[str, Any], target: str
) -> Iterator[tuple[dict[str, Any], Question | None]]:
    """Every row of the results: what is known of it without timing, and what to ask where that is not all."""
    for row in rows:
        name = row["id"]
        then, now = before.get(name, {}), after.get(name, {})
        found = {"spec": row["spec"], "proven": then.get("digest") == row["digest"], "then_ms": _time(row)}
        if "module" not in then or "module" not in now:
            missing = "after" if "module" in then else "before"
            yield found | {"status": "not made", "cause": (now | then).get("failed", f"no module {missing}")}, None
        elif then["module"] == now["module"]:
            yield found | {"status": "equal", "how": "the same text"}, None
        elif same_programs(parse_module(then["module"]), parse_module(now["module"]), get_target(target)):
            yield found | {"status": "equal", "how": "equal TTIR"}, None
        else:
            digests = f"{then['digest']} {now['digest']}"
            yield found | {"status": "to time"}, Question(name, digests, then["module"], now["module"])


def _time(row: Mapping[str, Any]) -> float | None:
    return row.get("times_ms", {}).get("candidate")


def summary(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What the rows say in all: ratios above 1 say that a winner is faster than it was."""
    timed = {name: row["over"][BEFORE][0] for name, row in rows.items() if "over" in row}
    equal = [name for name, row in rows.items() if row["status"] == "equal"]
    worst = min(timed, key=timed.__getitem__, default="")
    return {
        "winners": len(rows),
        "text_of_then_proven": sum(row["proven"] for row in rows.values()),
        "equal": len(equal),
        "equal_text": sum(row.get("how") == "the same text" for row in rows.values()),
        "timed": len(timed),
        "open": {n: row["status"] for n, row in rows.items() if n not in timed and row["status"] != "equal"},
        "over_before": geomean([*timed.values(), *[1.0] * len(equal)]),
        "over_before_timed": geomean(list(timed.values())),
        "worst": {worst: timed[worst]} if timed else {},
        "slower": {name: ratio for name, ratio in timed.items() if ratio < SLOWER},
    }


def compare(arguments: argparse.Namespace, console: Console) -> int:
    """Write OUT; 0 if everything is equal or timed, and nothing is slower."""
    content = read_json(arguments.results, "--results")
    target = content["made_with"]["target"]
    before, after = read_modules(arguments.before), read_modules(arguments.modules)
    chosen = [row for row in content["results"] if not arguments.only or row["id"] in arguments.only.split(",")]
    pairs = list(sorted_out(chosen, before, after, target))
    rows = {row["id"]: found for row, (found, _) in zip(chosen, pairs, strict=True)}
    questions = [question for _, question in pairs if question is not None]
    console.print(f"{len(rows) - len(questions)} without timing, {len(questions)} to time", highlight=False)
    out, caliber = arguments.out, caliber_of(arguments.commit, trials=TRIALS)
    if not arguments.equal_only:
        settings = settings_for([f"target={target}"], 0.0)
        made_with = {"device": caliber["device"], "target": target, "results": str(arguments.results.name)}
        with (
            tempfile.TemporaryDirectory() as folder,
            Journal(out.with_name(f"{out.name}.journal"), made_with) as journal,
        ):
            shares = Shares(device_bytes(), Path(folder) / "shares.json")
            limits = {"jobs": arguments.jobs, "seconds": arguments.seconds, "timeout_s": arguments.timeout}
            work_off(questions, journal, settings, shares, console=console, **limits)
            for one in questions:
                row = journal.results.get(one.name, {})
                if row.get("digest") == one.digest:
                    rows[one.name] |= {key: value for key, value in row.items() if key not in ("id", "module")}
    found = summary(rows)
    command = command_line()
    write_result(out, {"command": command, "caliber": caliber, "summary": found, "rows": rows})
    print(json.dumps(found, indent=1))
    return 0 if not found["open"] and not found["slower"] else 1


def main(given: Sequence[str] | None = None) -> int:
    """See `make` and `compare`; 2 for bad arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", choices=("make", "compare"))
    parser.add_argument("--results", type=Path, default=RESULTS, help="what `kernelbench.py` wrote")
    parser.add_argument("--modules", type=Path, required=True, help="the winners as they are made now")
    parser.add_argument("--problems", type=Path, help="make: the JSONL file or checkout with the problems' code")
    parser.add_argument("--renamed", nargs="*", default=[], help="make: kernels that have other names now")
    parser.add_argument("--before", type=Path, help="compare: the winners as they were made then")
    parser.add_argument("--out", type=Path, default=Path("runs/remade/remade.json"))
    parser.add_argument("--jobs", type=int, default=1, help="winners at a time")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin nothing more after so many seconds")
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds for one winner in all")
    parser.add_argument("--only", default="", help="problems by name, such as 1_63,2_27")
    parser.add_argument("--equal-only", action="store_true", help="time nothing")
    add_commit(parser)
    arguments = parser.parse_args(given)
    console = Console(stderr=True)
    discover()
    needed = "problems" if arguments.work == "make" else "before"
    try:
        if getattr(arguments, needed) is None:
            raise UserError(f"{arguments.work} needs --{needed}")
        return make(arguments) if arguments.work == "make" else compare(arguments, console)
    except UserError as error:
        console.print(str(error), style="red", markup=False)
        return 2


if __name__ == "__main__":
    sys.exit(main())
