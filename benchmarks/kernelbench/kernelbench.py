"""Search for a program for every KernelBench problem, and measure it beside eager PyTorch and Inductor.

    python -m benchmarks.kernelbench.kernelbench --problems kernelbench.jsonl --out runs/kernelbench/h200.json --jobs 6

Problems are rows {"level", "problem_id", "name", "code"} of a JSONL file, or a KernelBench checkout. For each problem
a process runs the pipeline (`search`, for --budget seconds). Another, which ends with the problem, runs the
evaluator's rung `time` on the program that was found. That evaluator has inputs and seeds that no search has seen,
and times eager, Inductor and the candidate in turn. The result of a problem is the fastest verified of the three.
Without a GPU, sizes are made small, and the cost model estimates times.

OUT.journal gets a row for each problem as it comes, with the winner's text. With --resume a run goes on from there.
--max-autotune measures that baseline beside winners that lack it, without another search. OUT has the summary and the
rows, without KernelBench's code. With --known, the pipelines of an earlier OUT run instead of a search: a program
that comes out the same to the letter keeps its row, and any other is judged and measured anew. Without --problems,
OUT is read instead, for --floors and --plot. Each `key=value` overrides the configuration, as for `kernelwright
compile`.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from rich.console import Console

from benchmarks.kernelbench.kernelbench_memory import Shares, device_bytes
from benchmarks.kernelbench.kernelbench_plots import draw
from benchmarks.kernelbench.kernelbench_problem import KNOWN, PLAIN, SEARCHED
from benchmarks.kernelbench.kernelbench_summary import MAX_AUTOTUNE, outcome, summarize
from benchmarks.kernelbench.kernelbench_work import Bench, with_searches
from benchmarks.row_lines import command_line, read_json, write_result
from kernelwright.driver.campaigns.campaign import machine
from kernelwright.driver.campaigns.programs import Program
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.config.settings import EvaluatorKind, Settings, read_settings
from kernelwright.driver.run.build import resolve_target
from kernelwright.driver.run.journal import Journal
from kernelwright.evaluation.judge.comparison import Timing
from kernelwright.ir.errors import UserError
from kernelwright.rl.data.problems import load_problems

#: What problems at full size need.
ON_GPU = {"evaluator.timeout_s": "200", "evaluator.memory_gb": "60"}
#: The fastest candidates of a search that OUT tells.
TOLD = 8


def read_problems(
    place: Path, levels: frozenset[int], only: frozenset[str], shard: tuple[int, int]
) -> Iterator[Program]:
    """The problems of these levels, by names such as 1_63 where `only` has some; every n-th from the shard's number on.

    Raises UserError for names that are not there.
    """
    found = {problem.id.removeprefix("kernelbench/").replace("/", "_"): problem for problem in load_problems(place)}
    if missing := sorted(only - set(found)):
        raise UserError(
            f"--only {','.join(missing)}: no such problems in {place}; their names are like {next(iter(found))}"
        )
    chosen = [
        name
        for name, problem in found.items()
        if (name in only if only else problem.provenance.get("level") in (None, *levels))
    ]
    number, of = shard
    for name in chosen[number - 1 :: of]:
        problem = found[name]
        level, _, problem_id = name.partition("_")
        labels: dict[str, Any] = {
            "problem": problem.provenance.get("name", ""),
            "level": problem.provenance.get("level"),
        }
        if labels["level"] is not None and problem_id.isdigit() and level == str(labels["level"]):
            labels["problem_id"] = int(problem_id)
        yield Program(name, problem.source, labels | {"convolution": "Conv" in problem.source})


def read_shard(text: str) -> tuple[int, int]:
    """`I/N` as numbers; UserError for anything else."""
    number, _, of = text.partition("/")
    if not (number.isdigit() and of.isdigit() and 1 <= int(number) <= int(of)):
        raise UserError(f"--shard {text}: write I/N with I from 1 to N, as 2/4")
    return int(number), int(of)


def read_processes(text: str) -> tuple[int, int]:
    """`FEWEST,MOST` as numbers; UserError for anything else."""
    fewest, _, most = text.partition(",")
    if not (fewest.isdigit() and most.isdigit() and 1 <= int(fewest) <= int(most)):
        raise UserError(f"--processes {text}: write FEWEST,MOST, as 3,5")
    return int(fewest), int(most)


def settings_for(overrides: Sequence[str], budget_s: float) -> Settings:
    """The configuration, with a search of so many seconds that begins afresh, as what an earlier one found out, on this
    problem or others, took seconds that nobody counts, and that leaves it to this benchmark to time what it keeps."""
    named = {override.partition("=")[0] for override in overrides}
    given = {"pipeline": "search"} | (ON_GPU if torch.cuda.is_available() else {})
    default = [f"{key}={value}" for key, value in given.items() if key not in named]
    settings = read_settings("kernelbench", [*default, *overrides])
    if settings.evaluator.kind is not EvaluatorKind.local:
        raise UserError("evaluator=ray: times are those of one machine; leave evaluator=local")
    return with_searches(settings, seconds=budget_s, resume=False, timed=False, memory=False)


def public(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row for OUT: what the result is and its ratios, and nothing of KernelBench's code, which the module quotes."""
    found = outcome(row)
    decided = {
        "winner": found.winner,
        "handed_back": found.handed_back,
        "ratio": dict(found.ratio),
        "time_ms": found.time_ms,
    }
    found_out = {key: value for key, value in row.items() if key != "module"}
    if "candidates_us" in row.get("search", {}):
        fastest = dict(islice(row["search"]["candidates_us"].items(), TOLD))
        found_out["search"] = row["search"] | {"candidates_us": fastest}
    return found_out | decided


def write(out: Path, content: Mapping[str, Any]) -> None:
    """The file, which is whole or as it was."""
    out.parent.mkdir(parents=True, exist_ok=True)
    partial_file = out.with_name(f"{out.name}.partial")
    write_result(partial_file, content)
    partial_file.replace(out)


def journal_of(out: Path) -> Path:
    """Where rows go as they come."""
    return out.with_name(f"{out.name}.journal")


def made_with(settings: Settings) -> dict[str, Any]:
    """What rows of one journal have in common."""
    facts = machine()
    same = {key: facts[key] for key in ("device", "torch", "triton")}
    how = {"pipeline": str(settings.pipeline), "target": resolve_target(settings.target), "seed": settings.seed}
    judging = {key: value for key, value in asdict(settings.evaluator).items() if key in ("seeds", "externs")}
    importing = {"shrink": settings.importing.shrink.value, "numerics": settings.importing.numerics.value}
    return same | how | judging | importing


def benchmark(arguments: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Work the problems off; the content of OUT."""
    if arguments.jobs < 1:
        raise UserError(f"--jobs {arguments.jobs}: at least one is needed")
    if arguments.measuring < 0:
        raise UserError(f"--measuring {arguments.measuring}: give a number of problems, or 0 for that of --jobs")
    levels = read_levels(arguments.levels)
    only = frozenset(filter(None, arguments.only.split(",")))
    programs = list(read_problems(arguments.problems, levels, only, read_shard(arguments.shard)))
    settings = settings_for(arguments.overrides, arguments.budget)
    common = made_with(settings)
    measured = (*Timing().baselines, *([MAX_AUTOTUNE] if arguments.max_autotune else []))
    baselines = measured if torch.cuda.is_available() else (PLAIN,)
    processes = read_processes(arguments.processes)
    with Journal(journal_of(arguments.out), common) as journal:
        if journal.results and not arguments.resume:
            raise UserError(f"{arguments.out} has results already; add --resume to go on, or name another --out")
        for other in arguments.merge:
            if not journal_of(other).is_file():
                raise UserError(f"--merge {other}: {journal_of(other)} is not there")
            with Journal(journal_of(other), common) as found:
                for name, row in found.results.items():
                    journal.add(name, row)
        for name, row in known_rows(arguments.known, common).items():
            if name not in journal.results:
                journal.add(name, row)
        again = frozenset(filter(None, arguments.again.split(",")))
        jobs = arguments.jobs, arguments.measuring or arguments.jobs
        try:
            with tempfile.TemporaryDirectory() as folder:
                shares = Shares(device_bytes(), Path(folder) / "shares.json")
                Bench(journal, settings, baselines, processes, arguments.timeout, *jobs, again, shares, console).run(
                    programs
                )
        finally:
            rows = [row for row in in_order(journal.results.values()) if row["status"] not in (SEARCHED, KNOWN)]
            content = {
                "command": command_line(),
                "made_with": common,
                "caliber": machine(),
                "summary": summarize(rows, read_floors(arguments.floors)),
                "results": [public(row) for row in rows],
            }
            write(arguments.out, content)
    return content


def known_rows(path: Path | None, common: Mapping[str, Any]) -> dict[str, Any]:
    """The rows of an earlier OUT whose winners can be made again. Raises UserError for one that was made otherwise."""
    if path is None:
        return {}
    content = read_json(path, "--known")
    for key, value in json.loads(json.dumps(common)).items():
        if (before := content["made_with"].get(key)) != value:
            raise UserError(f"--known {path} was made with {key}={before}, but now it is {value}; search again")
    return {row["id"]: row | {"status": KNOWN} for row in content["results"] if row["status"] == "ok"}


def read_levels(text: str) -> frozenset[int]:
    """Levels from text such as 1,2; none stands for all."""
    levels = frozenset(filter(None, map(str.strip, text.split(","))))
    if wrong := sorted(level for level in levels if not level.isdecimal()):
        raise UserError(f"--levels {text}: {wrong[0]!r} is no level; write 1,2")
    return frozenset(map(int, levels))


def in_order(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """By level and number, then by name."""
    return sorted(rows, key=lambda row: (row.get("level") or 0, row.get("problem_id", 0), row["id"]))


def read_floors(path: Path | None) -> Any:
    """The content of a floors file, see `kernelbench_summary.floor_of`."""
    return None if path is None else read_json(path, "--floors")


def reported(arguments: argparse.Namespace) -> dict[str, Any]:
    """The content of an OUT that is there, summed up anew."""
    content = read_json(arguments.out, "--out")
    return content | {"summary": summarize(content["results"], read_floors(arguments.floors))}


def parser() -> argparse.ArgumentParser:
    """The command line."""
    found = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("--problems", type=Path, help="a JSONL file or a KernelBench checkout")
    found.add_argument("--out", type=Path, default=Path("runs/kernelbench/kernelbench.json"))
    found.add_argument("--levels", default="1,2")
    found.add_argument("--only", default="", help="problems by name, such as 1_63,2_27")
    found.add_argument("--shard", default="1/1", help="I/N: every N-th problem, from the I-th on")
    found.add_argument("--merge", type=Path, nargs="*", default=[], help="results of other shards, to join")
    found.add_argument("--known", type=Path, help="an earlier OUT; its pipelines run instead of a search")
    found.add_argument("--budget", type=float, default=60.0, help="seconds of search a problem")
    found.add_argument("--timeout", type=float, default=900.0, help="seconds for one problem in all")
    found.add_argument("--jobs", type=int, default=1, help="problems at a time")
    found.add_argument("--measuring", type=int, default=0, help="problems measured at a time; measuring mostly waits")
    found.add_argument("--max-autotune", action="store_true", help="measure against Inductor's max-autotune as well")
    found.add_argument(
        "--processes", default="3,5", help="processes of each side: at least, and at most where times vary"
    )
    found.add_argument("--resume", action="store_true", help="keep the results that OUT has")
    found.add_argument("--again", default="", help="with --resume: statuses to try again, such as timeout,crash")
    found.add_argument(
        "--floors", type=Path, help="JSON with the device's ceilings, and bytes and FLOPs of each problem"
    )
    found.add_argument("--plot", action="store_true", help="draw OUT-speedup and, with floors, OUT-roofline")
    found.add_argument("overrides", nargs="*")
    return found


def main(given: Sequence[str] | None = None) -> int:
    """0 if every problem has a verified candidate, 1 if not, 2 for bad arguments."""
    arguments = parser().parse_intermixed_args(given)
    console = Console(stderr=True)
    discover()
    try:
        content = benchmark(arguments, console) if arguments.problems else reported(arguments)
        if arguments.plot:
            for path in draw(content["results"], arguments.out, read_floors(arguments.floors)):
                console.print(str(path), markup=False, highlight=False)
    except (UserError, OSError, ValueError, KeyError) as error:
        console.print(f"{type(error).__name__}: {error}", style="red", markup=False)
        return 2
    print(json.dumps(content["summary"], indent=1))
    return 0 if all(row["status"] == "ok" for row in content["results"]) else 1


if __name__ == "__main__":
    sys.exit(main())
