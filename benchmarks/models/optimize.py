"""Models at real sizes on a GPU: what `optimize` finds within a budget, and how much faster they run with it.

    python -m benchmarks.models.optimize --only "bert-base bf16 eval" --out runs/models/optimize.json

`benchmarks.models.plan` has the rows. Several processes work on a row, in turn. `optimize` spends the budget. `compare`
compiles the model with Inductor, with Inductor once more and with the kernels that were found, and takes times of all
three in turns: of the device, with the whole call queued before it begins, and of the host's clock, of calls that are
waited for. Ratios are medians of pairs of calls that follow one another, with 95% intervals; `same` is that of Inductor
over Inductor. Some rows have comparisons of the same kind under CUDA graphs (`graphs`), and with Inductor's
max-autotune (`tuned`).

OUT.journal gets every row as it is found, and the same command goes on from there. A process that fails leaves the end
of its output in the row; with `--again` it is given another try, and so is a comparison that the plan has got since.
What was measured is kept. `--tiny` makes models small; without a GPU all of it runs on the test bed, whose times are an
interpreter's and say nothing.
"""

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from benchmarks.models.apart import apart
from benchmarks.models.campaign import campaign, options, status_of
from benchmarks.models.plan import PlannedRow, planned
from benchmarks.models.reasons import reasons

#: What is compared, by stage: the backend of each side and its mode.
SIDES: Mapping[str, Mapping[str, tuple[str, str | None]]] = {
    "compare": {"inductor": ("inductor", None), "same": ("inductor", None), "ours": ("kernelwright", None)},
    "graphs": {
        "inductor": ("inductor", "reduce-overhead"),
        "same": ("inductor", "reduce-overhead"),
        "ours": ("kernelwright", "reduce-overhead"),
    },
    "tuned": {
        "inductor": ("inductor", "max-autotune-no-cudagraphs"),
        "same": ("inductor", "max-autotune-no-cudagraphs"),
        "ours": ("kernelwright", None),
    },
}
#: Pairs of calls of each comparison, and what interval is told.
PAIRS, CONFIDENCE = 100, 0.95
#: The seconds within which a comparison ends.
MOST_S = 45.0
#: Runs a stage on the test bed, which comes before Triton is imported.
ON_BED = """\
import sys
from benchmarks.models.row import bed
bed().install()
from benchmarks.models.optimize import main
sys.exit(main(sys.argv[1:]))
"""


def optimize(row: PlannedRow, tiny: bool, budget: float) -> dict[str, Any]:
    """Spend the budget; what became of every kernel."""
    from kernelwright.driver.optimize.session import optimize_model

    model, inputs = _built(row, tiny)
    began = time.monotonic()

    def told(line: object) -> None:
        print(f"{time.monotonic() - began:6.1f} s  {line}", flush=True)

    found = optimize_model(model, inputs, budget=budget, mode=row.mode, say=told, done=told)
    return found.told()


def compare(row: PlannedRow, tiny: bool, budget: float, stage: str) -> dict[str, Any]:
    """Inductor, Inductor again and ours in turns; within half of the budget."""
    import torch

    from kernelwright.driver.extraction.modes import EVAL
    from kernelwright.driver.extraction.recording import run_once
    from kernelwright.driver.optimize.admission import summary
    from kernelwright.driver.optimize.watches import watch_for
    from kernelwright.driver.torch_compile import regions

    model, inputs = _built(row, tiny)
    model.train(row.mode != EVAL)
    sides: dict[str, Callable[[], object]] = {}
    for side, (backend, tuning) in SIDES[stage].items():
        call = torch.compile(_apart(model), backend=backend, mode=tuning)

        def once(call: Callable[..., Any] = call) -> object:
            torch.compiler.cudagraph_mark_step_begin()  # sides take turns: what one gave is not read after the next
            return run_once(call, model, inputs, row.mode)

        sides[side] = once
        for _ in range(3):
            once()
        if side == "ours":
            swaps = [swap for region in regions() for swap in region.swaps]
    watch = watch_for("cuda" if torch.cuda.is_available() else "cpu")
    device: dict[str, list[float]] = {side: [] for side in sides}
    host: dict[str, list[float]] = {side: [] for side in sides}
    chance = random.Random()  # buffers of a model take turns over some calls: a fixed order would favour one side
    ends = time.monotonic() + min(budget / 2, MOST_S)
    for number in range(PAIRS):
        for side in chance.sample(list(sides), len(sides)):
            device[side].append(_device_us(watch, sides[side]))
            host[side].append(_host_us(sides[side]))
        if number >= 11 and time.monotonic() > ends:
            break
    found: dict[str, Any] = {"kernels": len(swaps), "replaced": sum(one.runs == "kernelwright" for one in swaps)}
    for what, times in (("device", device), ("host", host)):
        for side in ("same", "ours"):
            found[f"{what}_{side}"] = summary(list(zip(times["inductor"], times[side], strict=True)), CONFIDENCE).told()
    return found


def _apart(model: Any) -> Any:
    """A module of its own around a model: `torch.compile` keeps code by module."""
    from torch import nn

    class Around(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, *inputs: Any) -> Any:
            return self.model(*inputs)

    return Around()


def _device_us(watch: Any, call: Callable[[], object]) -> float:
    spans: list[tuple[Any, Any]] = []

    def timed() -> None:
        first = watch.mark()
        call()
        spans.append((first, watch.mark()))

    watch.queued(timed)
    return float(watch.us(*spans[-1]))


def _host_us(call: Callable[[], object]) -> float:
    import torch

    began = time.perf_counter()
    call()
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return 1e6 * (time.perf_counter() - began)


def _built(row: PlannedRow, tiny: bool) -> tuple[Any, tuple[Any, ...]]:
    """A model in eval, and the inputs of its forward."""
    from benchmarks.models.cases import CASES, DTYPES

    return CASES[row.model].built(tiny, DTYPES[row.dtype])


def _child(row: PlannedRow, stage: str, arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """What a stage finds in a process of its own; a `failure` in words where it finds nothing."""
    import torch

    given = ["--child", stage, "--only", row.id]
    given += ["--budget", str(arguments.budget)] if arguments.budget else []
    given += ["--tiny"] if arguments.tiny else []
    run = ["-m", "benchmarks.models.optimize"] if torch.cuda.is_available() else ["-c", ON_BED]
    limit_s = arguments.limit + (_budget(row, arguments) if stage == "optimize" else 0.0)
    found, said = apart(run, given, folder, stage, limit_s)
    if arguments.verbose:
        print(f"---- {row.id} {stage}\n{said[-20000:]}", flush=True)
    return found


def _budget(row: PlannedRow, arguments: argparse.Namespace) -> float:
    return float(arguments.budget or row.budget)


def row_of(row: PlannedRow, arguments: argparse.Namespace, before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """All stages of a row, also those after one that failed. Of a row from `before`, what was measured is kept, and
    those that failed come behind another `optimize`, which finds their kernels; `again` tells of it."""
    stages = ("optimize", "compare", *row.beside)
    kept = {name: found for name, found in (before or {}).items() if name in stages and "failure" not in found}
    if "optimize" not in kept:
        kept = {}
    due = [stage for stage in stages if stage not in kept]
    told: dict[str, Any] = {"id": row.id, "sizes": "small" if arguments.tiny else "real", **vars(row), **kept}
    with tempfile.TemporaryDirectory() as folder:
        if before and kept:
            search = _child(row, "optimize", arguments, Path(folder))
            tried = {"stages": due, **{name: search[name] for name in ("failure", "whole", "counts") if name in search}}
            told["again"] = [*before.get("again", ()), tried]
            if "failure" in search:  # there are no kernels for what is due
                told |= {stage: before.get(stage, search) for stage in due}
                due = []
        for stage in due:
            told[stage] = _child(row, stage, arguments, Path(folder))
    failed = [stage for stage in stages if "failure" in told[stage]]
    return told | {"budget": _budget(row, arguments), "status": f"{failed[0]} failed" if failed else "ok"}


def summary_of(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What the rows say in all, a table for each type, mode and budget: ratios of the device's time, Inductor's over
    ours, with their intervals."""
    tables: dict[str, dict[str, Any]] = {}
    for row in rows.values():
        table = tables.setdefault(f"{row['dtype']} {row['mode']} {row['budget']:.0f}s", {})
        for stage in SIDES:
            if stage in row and "failure" not in row[stage]:
                one = row[stage]["device_ours"]
                table.setdefault(stage, {})[row["model"]] = [one["ratio"], one["low"], one["high"]]
    means = {name: _means(table["compare"]) for name, table in tables.items() if "compare" in table}
    return {
        "rows": len(rows),
        "open": {name: row["status"] for name, row in rows.items() if row["status"] != "ok"},
        "tables": tables,
        "geometric_mean": means,
        "not_admitted": {name: _reasons(row["optimize"]) for name, row in rows.items() if "kernels" in row["optimize"]},
    }


def _means(table: Mapping[str, Sequence[float]]) -> dict[str, float]:
    ratios = sorted(one[0] for one in table.values())
    means = {"all": ratios, "without_best": ratios[:-1]}
    return {name: round(geometric_mean(some), 4) for name, some in means.items() if some}


def _reasons(found: Mapping[str, Any]) -> dict[str, list[float]]:
    return reasons(found["kernels"], found["model_us"])


def main(given: Sequence[str] | None = None) -> int:
    """Write OUT; 0 if every row was measured."""
    parser = options(__doc__, "runs/models/optimize.json", 200.0)
    parser.add_argument("--budget", type=float, help="seconds for `optimize` instead of the plan's")
    parser.add_argument("--again", action="store_true", help="measure once more what failed in rows that are there")
    parser.add_argument("--verbose", action="store_true", help="print what the processes print")
    parser.add_argument("--child", choices=("optimize", *SIDES), help=argparse.SUPPRESS)
    arguments = parser.parse_args(given)
    from benchmarks.models.cases import CASES  # torch, which a process on the bed imports once it is set up

    rows = planned(list(CASES))
    if arguments.child:
        return _work(rows[arguments.only], arguments)
    found = campaign(
        arguments,
        list(rows),
        lambda name, _left, before: row_of(rows[name], arguments, before),
        lambda row: arguments.again and (row["status"] != "ok" or not {*rows[row["id"]].beside} <= row.keys()),
        summary_of,
        lambda row: row["status"],
        {"budget": arguments.budget or "as planned"},
        pairs=PAIRS,
        confidence=CONFIDENCE,
    )
    return 0 if not found["open"] else 1


def _work(row: PlannedRow, arguments: argparse.Namespace) -> int:
    """One stage, in its own process."""
    budget = _budget(row, arguments)
    if arguments.child == "optimize":
        found = optimize(row, arguments.tiny, budget)
    else:
        found = compare(row, arguments.tiny, budget, arguments.child)
    arguments.out.write_text(json.dumps(found), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(status_of(main))
