"""Search from the kernels of programs that people wrote, and time what is found beside them, Inductor and eager.

    python -m benchmarks.rewrites.handwritten_gpu --jobs 6 --seconds 480 \\
        --out benchmarks/results/rewrites/handwritten_h200.json

The programs are those of `benchmarks/handwritten`, at the sizes for a GPU. `search` begins with a program's own kernels
and has `--budget` seconds. The judge checks the program as it is written and what the search keeps. Then all sides
run in turns in one process, on the same inputs, caches cold. A search may keep the program as it is, which counts as
1. A way counts as taken if a rewrite for its kind is in the pipeline that was kept and what it is to remove is gone.

OUT.journal gets every row as it is found, and the same command goes on from there; rows of other texts are made again.
After `--seconds` nothing more is begun. Without a GPU sizes are small and the cost model estimates: a rehearsal. Each
key=value overrides the configuration, as for `kernelwright compile`.
"""

import argparse
import json
import math
import os
import statistics
import sys
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from rich.console import Console

from benchmarks.caliber import add_commit, caliber_of
from benchmarks.kernelbench.kernelbench import settings_for
from benchmarks.kernelbench.kernelbench_memory import Shares, device_bytes
from benchmarks.kernelbench.kernelbench_work import with_searches
from benchmarks.rewrites.handwritten import FINDS, Program, divides, finds, handwritten, reads_again
from benchmarks.rewrites.side_by_side import BEFORE, TRIALS, Question, work_off
from benchmarks.row_lines import command_line, write_result
from kernelwright.backend.measure.children import cores
from kernelwright.driver.campaigns.campaign import machine
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.run.build import resolve_target
from kernelwright.driver.run.journal import Journal
from kernelwright.ir.errors import UserError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.pipeline import parse_pipeline
from kernelwright.ir.printer import print_module
from kernelwright.midend.search.space import GIVEN

#: Below this ratio to the program as it is written a search has made it slower.
SLOWER = 0.97
BASELINES = ("eager", "inductor")
#: What the numerics of a reference permit, for eager and Inductor; kernels say it themselves.
TF32 = {"ieee": "nowhere", "torch": "convolutions", "tf32": "convolutions and products"}


def question(program: Program) -> Question:
    """What is asked about a program."""
    return Question(program.name, program.digest, print_module(program.module()), baselines=BASELINES)


def way_taken(way: str, row: Mapping[str, Any]) -> bool:
    """Whether what the search kept goes the way that is known, from the program's own kernels."""
    own, _, spec = row.get("spec", "").partition(",")
    if row["status"] != "ok" or own != GIVEN or not spec:
        return False
    made, passes = parse_module(row["module"]), [one.name for one in parse_pipeline(spec).passes]
    change = {"passes": passes, "status": "ok", "reads_again": reads_again(made), "divides": divides(made)}
    return finds(way, change)


def public(program: Program, row: Mapping[str, Any]) -> dict[str, Any]:
    """A row for OUT, which has what is known of the program, and no text."""
    taken = {"way_taken": way_taken(program.way, row)} if program.way else {}
    kept = {key: value for key, value in row.items() if key not in ("id", "module")}
    return {"way": program.way, "faster": program.faster} | taken | kept


def summary(rows: Mapping[str, Mapping[str, Any]], programs: int) -> dict[str, Any]:
    """What the rows say in all; ratios are of times, those above 1 are the search's gain."""
    good = {name: row for name, row in rows.items() if "over" in row}
    kinds = {kind: {n: row for n, row in good.items() if row["way"] == kind} for kind in (*FINDS, "")}
    return {
        "programs": programs,
        "answered": len(rows),
        "as_written_ok": sum(row.get("as_given", {}).get("status") == "ok" for row in rows.values()),
        "not_ok": {name: row["status"] for name, row in rows.items() if name not in good},
        "how": sorted({row["how"] for row in good.values()}),
        "all": gains(good),
        "by_way": {kind or "none known": gains(found) for kind, found in kinds.items() if found},
        "lowered_anew": sum(not row["spec"].startswith(GIVEN) for row in good.values()),
        "ways_known": sum(bool(row["way"]) for row in rows.values()),
        "ways_taken": sum(row.get("way_taken", False) for row in rows.values()),
        "ways_not_taken": [name for name, row in rows.items() if row["way"] and not row.get("way_taken")],
    }


def gains(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Geometric means of the ratios, the worst, and the programs that a search made slower."""
    over = {name: row["over"][BEFORE][0] for name, row in rows.items()}
    others = {key: [row["over"][key][0] for row in rows.values() if key in row["over"]] for key in BASELINES}
    worst = min(over, key=over.__getitem__, default="")
    return {
        "programs": len(rows),
        "kept_as_written": sum(row["same"] for row in rows.values()),
        "over_as_written": geomean(list(over.values())),
        **{f"over_{key}": geomean(ratios) for key, ratios in others.items() if ratios},
        "worst": {worst: over[worst]} if rows else {},
        "slower": {name: ratio for name, ratio in over.items() if ratio < SLOWER},
        "faster_by_a_tenth": sum(ratio >= 1.1 for ratio in over.values()),
    }


def geomean(ratios: Sequence[float]) -> float | None:
    """The geometric mean; None of none."""
    return round(math.exp(statistics.fmean(map(math.log, ratios))), 4) if ratios else None


def benchmark(arguments: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Answer what is due; the content of OUT."""
    on_gpu = torch.cuda.is_available()
    settings = settings_for(arguments.overrides, arguments.budget)
    settings = with_searches(settings, workers=max(1, cores() // arguments.jobs))
    chosen = {one.name: one for one in handwritten(large=on_gpu) if arguments.only in one.name}
    made_with: dict[str, Any] = {"device": machine()["device"], "target": resolve_target(settings.target)}
    made_with |= {"pipeline": str(settings.pipeline), "seeds": settings.evaluator.seeds}
    made_with |= {"sizes": "large" if on_gpu else "small"}
    made_with |= {"tf32": sorted({TF32[one.imported().numerics] for one in chosen.values()})}
    out = arguments.out
    with tempfile.TemporaryDirectory() as folder, Journal(out.with_name(f"{out.name}.journal"), made_with) as journal:
        shares = Shares(device_bytes(), Path(folder) / "shares.json")
        questions = list(map(question, chosen.values()))
        try:
            limits = {"jobs": arguments.jobs, "seconds": arguments.seconds, "timeout_s": arguments.timeout}
            work_off(questions, journal, settings, shares, console=console, **limits)
        finally:
            known = journal.results
            answered = [name for name, one in chosen.items() if known.get(name, {}).get("digest") == one.digest]
            rows = {name: public(chosen[name], known[name]) for name in answered}
            content = {
                "command": command_line(),
                "made_with": made_with,
                "caliber": caliber_of(arguments.commit, trials=TRIALS),
                "summary": summary(rows, len(chosen)),
                "rows": rows,
            }
            write_result(out, content)
    return content


def main(given: Sequence[str] | None = None) -> int:
    """0 if every program is answered, right and not slower; 1 if not; 2 for bad arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("runs/handwritten/gpu.json"))
    parser.add_argument("--budget", type=float, default=20.0, help="seconds of search a program")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin nothing more after so many seconds")
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds for one program in all")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time")
    parser.add_argument("--only", default="", help="programs with this in their names")
    add_commit(parser)
    parser.add_argument("overrides", nargs="*")
    arguments = parser.parse_intermixed_args(given)
    console = Console(stderr=True)
    warnings.filterwarnings("ignore", message=".*make_block_ptr is deprecated")
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # programs beside each other have the other cores
    discover()
    try:
        found = benchmark(arguments, console)["summary"]
    except UserError as error:
        console.print(str(error), style="red", markup=False)
        return 2
    print(json.dumps(found, indent=1))
    whole = found["answered"] == found["programs"] and not found["not_ok"]
    return 0 if whole and not found["all"]["slower"] else 1


if __name__ == "__main__":
    sys.exit(main())
