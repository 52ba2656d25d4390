"""Measure what a search finds in 5, 15 and 60 s, from nothing and from what searches of other programs found.

    python -m benchmarks.search.time_to_quality --problems kernelbench.jsonl --modes 60,15 --budget 420 --resume
    python -m benchmarks.search.time_to_quality --problems kernelbench.jsonl --modes 5m --budget 420 --resume
    python -m benchmarks.search.time_to_quality --problems kernelbench.jsonl --all --modes 15t --budget 420 --resume
    python -m benchmarks.search.time_to_quality --problems kernelbench.jsonl --modes 5m,60 --memory other.json --resume

A mode is a number of seconds. With `m`, a search begins with the memory of what others found: that of the longest
searches in OUT.journal, the problem's own left out. With --memory, those in another file of results count instead,
whatever GPU they are from: what they say is made, measured and verified like all else. With `t`, the winner is timed at
the end beside eager PyTorch and Inductor, which its seconds do not count. One process does all searches, one after
another. It begins with a search of 5 s of WARM_UP, a problem that is not in the sample, so that all others have its
processes warm. When that one first measured is told apart, as how long a search takes from a cold start. Problems are
those of SAMPLE, which was drawn by seed in strata (convolutions, products, others) before anything was tuned for this,
or all of levels 1 and 2. Each has its searches in the order of --modes: later ones find what earlier ones compiled.
On a machine with several GPUs, each may run a --shard; --merge joins their results, and searches nothing.

OUT.journal gets a row for each search as it is done. With --resume a run goes on from there, or from OUT alone. A
problem begins only where --budget leaves time for all of its searches that are due. OUT has the rows, each with its
commit, and a summary. Without a GPU, programs are made small, and searches go by the cost model: a rehearsal.
"""

import argparse
import json
import math
import statistics
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.caliber import add_commit, caliber_of, head, with_caliber
from benchmarks.kernelbench.kernelbench import (
    journal_of,
    made_with,
    read_problems,
    read_shard,
    settings_for,
    write,
)
from benchmarks.row_lines import command_line, read_json
from benchmarks.search.beside_baselines import beside_baselines
from kernelwright.backend.measure.pool import end_idle
from kernelwright.driver.campaigns.programs import Program, attempt, read_module
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.config.settings import Settings
from kernelwright.driver.run.build import open_context, silent
from kernelwright.driver.run.journal import Journal
from kernelwright.ir.errors import UserError
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import parse_pipeline
from kernelwright.midend.search.memory import PastWinners, found_of
from kernelwright.midend.search.services import SearchServices

#: 16 problems of either level: random.Random(31) drew so many of each stratum as it has a share, and shuffled them.
#: Levels take turns here, so that the first so many are of either.
SAMPLE = (
    *("1_51", "2_91", "1_1", "2_41", "1_13", "2_81", "1_23", "2_33", "1_25", "2_29", "1_55", "2_77", "1_67", "2_61"),
    *("1_7", "2_15", "1_93", "2_71", "1_91", "2_31", "1_19", "2_27", "1_31", "2_17", "1_99", "2_99", "1_79", "2_23"),
    *("1_57", "2_93", "1_85", "2_25"),
)
#: What every process searches first, and the mode of such rows.
WARM_UP, COLD = "1_95", "cold"

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Mode:
    """How long a search takes, whether it begins with memory, and whether its winner is timed."""

    text: str
    seconds: float
    memory: bool
    timed: bool

    @classmethod
    def read(cls, text: str) -> "Mode":
        """From text such as 15, 5m or 15t. Raises UserError."""
        number, letters = text.rstrip("mt"), text[len(text.rstrip("mt")) :]
        if not number.isdecimal() or not int(number) or sorted(letters) != sorted(set(letters)):
            raise UserError(f"--modes {text}: write seconds, with m for memory and t for times, as 60,15,5m")
        return cls(text, float(number), "m" in letters, "t" in letters)


def search_one(
    program: Program, mode: Mode, settings: Settings, context: Context, memory: PastWinners
) -> dict[str, Any]:
    """One search, and what it tells; what it adds to `memory` is in the row."""
    module = read_module(program, settings.importing)
    spec = f"search{{seconds={mode.seconds},resume=false,timed={str(mode.timed).lower()}}}"
    known = len(memory.found)
    began = time.perf_counter()
    services = replace(context.service(SearchServices), memory=memory)
    final = parse_pipeline(spec).run(module, context.having(services))
    wall_s = time.perf_counter() - began
    notes = dict(final.provenance[-1].notes)
    kept = ("best", "us", "plain_us", "plain_tuned_us", "curve", "measured", "distinct", "trials")
    told = {key: notes[key] for key in (*kept, "stopped", "not_verified", "speedups", "timing") if key in notes}
    told |= {"spent_s": notes.get("seconds", {}), "refused": len(notes["refused"]), "wall_s": round(wall_s, 2)}
    return {"status": "ok", **told, "found": next(map(asdict, memory.found[known:]), None)}


def memory_for(program: str, results: Mapping[str, Row], target: str) -> PastWinners:
    """What the longest searches of all other problems found, told of this target, whichever it was found for."""
    longest: dict[str, tuple[float, Row]] = {}
    for row in results.values():
        if row.get("found") and row["problem"] != program and not row["mode"].strip("0123456789t"):
            seconds = float(row["mode"].rstrip("t"))
            longest[row["problem"]] = max(longest.get(row["problem"], (0.0, row)), (seconds, row), key=lambda p: p[0])
    told = [found for _, row in longest.values() if (found := found_of(row["found"])) is not None]
    return PastWinners(found=[replace(found, target=target) for found in told])


def due(program: str, modes: Sequence[Mode], done: Collection[str], left_s: float) -> list[Mode]:
    """The searches of a problem that are not done yet; none where there is no time for all of them."""
    found = [mode for mode in modes if f"{program} {mode.text}" not in done]
    return found if sum(mode.seconds * (3 if mode.timed else 1.5) for mode in found) <= left_s else []


def work_off(
    arguments: argparse.Namespace,
    commit: str,
    settings: Settings,
    journal: Journal,
    console: Console,
    others: Mapping[str, Row],
) -> None:
    """Searches that are due, problem by problem and mode by mode, as far as the budget goes. Memory is of `others`, or
    else of the journal."""
    only = frozenset() if arguments.all else frozenset(SAMPLE)
    given = {one.name: one for one in read_problems(arguments.problems, frozenset({1, 2}), only, (1, 1))}
    number, of = arguments.shard
    programs = (list(given.values()) if arguments.all else [given[name] for name in SAMPLE])[number - 1 :: of]
    (warm_up,) = read_problems(arguments.problems, frozenset({1, 2}), frozenset({WARM_UP}), (1, 1))
    began = time.monotonic()
    with open_context(settings, silent) as context:
        row = attempt(lambda: search_one(warm_up, Mode(COLD, 5.0, False, False), settings, context, PastWinners()))
        number = 1 + sum(row["mode"] == COLD for row in journal.results.values())
        journal.add(f"{COLD} {number}", {"problem": WARM_UP, "mode": COLD, "commit": commit, **row})
        for program in programs[: arguments.most]:
            left = arguments.budget - (time.monotonic() - began)
            for mode in due(program.name, arguments.modes, journal.results, left):
                name, known = f"{program.name} {mode.text}", others or journal.results
                memory = memory_for(program.name, known, context.target) if mode.memory else PastWinners()
                row = attempt(lambda p=program, m=mode, o=memory: search_one(p, m, settings, context, o))  # type: ignore[misc]
                journal.add(name, {"problem": program.name, "mode": mode.text, "commit": commit, **row})
                said = row.get("cause") or f"{row['plain_us']} -> {row['us']} us, {row.get('speedups', '')}"
                console.print(f"{time.monotonic() - began:.0f} s, {name}: {said}", markup=False, soft_wrap=True)


def take_up(out: Path, common: Row, journal: Journal) -> None:
    """Put the rows of an OUT without its journal into the journal. Raises UserError for one that was made otherwise."""
    if not out.is_file():
        return
    content = read_json(out, "--out")
    if json.loads(json.dumps(common)) != content.get("made_with"):
        raise UserError(f"{out} was made with {content.get('made_with')}, and now it is {common}; name another --out")
    for row in content["results"]:
        journal.add(row["id"], {key: value for key, value in row.items() if key != "id"})


def joined(paths: Sequence[Path]) -> dict[str, Any]:
    """The content of an OUT with the rows of several, each with its commit. A row that is in several is the first one
    that is ok. What a later `caliber` has otherwise stands in its rows. Raises UserError where one was made otherwise
    than the first."""
    contents = [read_json(path, "--merge") for path in paths]
    for path, content in zip(paths, contents, strict=True):
        if content["made_with"] != contents[0]["made_with"]:
            raise UserError(
                f"--merge {path}: made with {content['made_with']}, {paths[0]} otherwise; merge what is alike"
            )
    rows: dict[str, Any] = {}
    numbers = count(1)
    for content in contents:
        for row in content["results"]:
            name = f"{COLD} {next(numbers)}" if row["mode"] == COLD else row["id"]
            if name not in rows or rows[name]["status"] != "ok":
                rows[name] = with_caliber(row, content["caliber"], contents[0]["caliber"]) | {"id": name}
    commands = dict.fromkeys(command for content in contents for command in content.get("of", [content["command"]]))
    told = {"command": command_line(), "of": list(commands)}
    told |= {"made_with": contents[0]["made_with"], "caliber": contents[0]["caliber"]}
    return told | {"summary": summary(rows), "results": [rows[name] for name in sorted(rows)]}


def remembered(path: Path | None) -> tuple[dict[str, Row], dict[str, str]]:
    """The rows of other results, and what is told of them. Raises UserError."""
    if path is None:
        return {}, {}
    content = read_json(path, "--memory")
    caliber = content["caliber"]
    told = {"memory": f"{path.name}: {caliber['device']}, commit {caliber['commit']}"}
    return {row["id"]: row for row in content["results"]}, told


def plain_times(rows: Mapping[str, Row]) -> dict[str, float]:
    """By problem: the least microseconds that the plain lowering took in any of these searches. Each search measures it
    again, and it is the same program."""
    found: dict[str, float] = {}
    for row in rows.values():
        if row["status"] == "ok" and row["plain_us"]:
            found[row["problem"]] = min(row["plain_us"], found.get(row["problem"], math.inf))
    return found


def gains(rows: Mapping[str, Row], mode: str, plain: Mapping[str, float]) -> dict[str, float]:
    """By problem: the logarithm of the plain lowering's time over the winner's; 0 where that is the plain lowering."""
    found = {row["problem"]: row for row in rows.values() if row["mode"] == mode and row["status"] == "ok"}
    return {
        name: 0.0 if row["us"] == row["plain_us"] else math.log(plain[name] / row["us"])
        for name, row in found.items()
        if row["us"] and name in plain
    }


def kept(rows: Mapping[str, Row], short: str, long: str) -> dict[str, Any] | None:
    """How much of the log-speedup of long searches short ones keep, over the problems that have both; both are compared
    with the same time of the plain lowering. A short search that failed keeps nothing."""
    rows = {name: row for name, row in rows.items() if row["mode"] in (short, long)}
    failed = {row["problem"]: 0.0 for row in rows.values() if row["mode"] == short and row["status"] != "ok"}
    plain = plain_times(rows)
    few, many = failed | gains(rows, short, plain), gains(rows, long, plain)
    both = sorted(set(few) & set(many))
    if not both or sum(many[name] for name in both) <= 0:
        return None
    share = sum(few[name] for name in both) / sum(many[name] for name in both)
    return {"problems": len(both), "share": round(share, 3)}


def had_after(rows: Mapping[str, Row], mode: str, seconds: float) -> float | None:
    """How much of their log-speedup searches of `mode` had so many seconds after they first measured. Beside `kept`,
    where the later searches of a program find what the earlier ones compiled."""
    total = early = 0.0
    for row in rows.values():
        if row["mode"] == mode and row["status"] == "ok" and row.get("curve"):
            best = [us for since, _, us in row["curve"] if since - row["curve"][0][0] <= seconds]
            total += max(0.0, math.log(row["plain_us"] / row["curve"][-1][2]))
            early += max(0.0, math.log(row["plain_us"] / best[-1]))
    return round(early / total, 3) if total > 0 else None


def summary(rows: Mapping[str, Row]) -> dict[str, Any]:
    """What the rows say."""
    cold = [row["curve"][0][0] for row in rows.values() if row["mode"] == COLD and row.get("curve")]
    rows = {name: row for name, row in rows.items() if row["mode"] != COLD}
    modes = sorted({row["mode"] for row in rows.values()}, key=lambda text: (float(text.rstrip("mt")), text))
    first = [row["curve"][0][0] for row in rows.values() if row.get("curve")]
    found: dict[str, Any] = {
        "searches": len(rows),
        "problems_of_the_sample": len(SAMPLE),
        "by_mode": {mode: sum(row["mode"] == mode for row in rows.values()) for mode in modes},
        "failed": {name: row.get("cause", row["status"]) for name, row in rows.items() if row["status"] != "ok"},
        "first_measured_s": {"median": statistics.median(first), "max": max(first)} if first else None,
        "first_measured_cold_s": cold,
    }
    longest = next((mode for mode in reversed(modes) if mode.isdecimal()), "")
    if longest:
        found[f"reached_within_{longest}"] = {each: had_after(rows, longest, float(each)) for each in ("5", "15")}
    for mode in modes:
        if longest and mode != longest and (share := kept(rows, mode, longest)):
            found[f"{mode}_keeps_of_{longest}"] = share
        if beside := beside_baselines([row for row in rows.values() if row["mode"] == mode]):
            found[f"{mode}_beside_baselines"] = beside
    return found


def searched(arguments: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Work off what is due; the content of OUT, which is written also where that is interrupted. Raises UserError."""
    settings = settings_for(arguments.overrides, 1.0)
    common = {key: value for key, value in made_with(settings).items() if key != "pipeline"}
    others, told = remembered(arguments.memory)
    common |= told
    with Journal(journal_of(arguments.out), common) as journal:
        if arguments.resume and not journal.results:
            take_up(arguments.out, common, journal)
        if journal.results and not arguments.resume:
            raise UserError(f"{arguments.out} has rows already; add --resume to go on, or name another --out")
        commit = arguments.commit or head()
        try:
            work_off(arguments, commit, settings, journal, console, others)
        finally:
            end_idle()
            rows = {name: journal.results[name] for name in sorted(journal.results)}
            made = {"command": command_line(), "made_with": common, "caliber": caliber_of(commit)}
            content = made | {"summary": summary(rows), "results": list(rows.values())}
            write(arguments.out, content)
    return content


def main() -> int:
    """Work off what is due or join what shards found, and write OUT; 2 for bad arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--problems", type=Path)
    what.add_argument("--merge", type=Path, nargs="+", help="results of several shards, to be joined")
    parser.add_argument("--out", type=Path, default=Path("runs/search/time_to_quality.json"))
    parser.add_argument("--modes", default="60,15", type=lambda text: text.split(","))
    parser.add_argument("--all", action="store_true", help="all problems of levels 1 and 2, not the sample")
    parser.add_argument("--shard", default="1/1", help="I/N: every N-th problem, from the I-th on")
    parser.add_argument("--memory", type=Path, help="results, of another machine or commit, that are remembered")
    parser.add_argument("--most", type=int, help="the first so many problems only")
    parser.add_argument("--budget", type=float, default=math.inf, help="seconds after which no search begins")
    parser.add_argument("--resume", action="store_true", help="keep the rows that OUT.journal has")
    add_commit(parser)
    parser.add_argument("overrides", nargs="*")
    arguments = parser.parse_args()
    console = Console(stderr=True)
    discover()
    try:
        arguments.modes = [Mode.read(text) for text in arguments.modes]
        arguments.shard = read_shard(arguments.shard)
        if arguments.merge:
            write(arguments.out, content := joined(arguments.merge))
        else:
            content = searched(arguments, console)
    except (UserError, OSError) as error:
        console.print(str(error), style="red", markup=False)
        return 2
    print(json.dumps(content["summary"], indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
