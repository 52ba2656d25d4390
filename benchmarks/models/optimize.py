"""Models at real sizes on a GPU: what `optimize` finds within a budget, and how much faster they run with it.

    python -m benchmarks.models.optimize --only bert-base --budget 90 --out runs/models/optimize.json

Two processes work on a model, in turn. `optimize` spends the budget. `compare` compiles the model with Inductor, with
Inductor once more and with the kernels that were found, and takes times of all three in turns: of the device, with the
whole call queued before it begins, and of the host's clock, of calls that are waited for. Ratios are medians of pairs
of calls that follow one another, with 95% intervals; `same` is that of Inductor over Inductor.

OUT.journal gets every row as it is found, and the same command goes on from there. Models whose kernels have most to
gain, by the ceilings that were measured, come first. A process that fails leaves the end of its output in the row.
`--tiny` makes models small; without a GPU all of it runs on the test bed, whose times are an interpreter's and say
nothing.
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
from benchmarks.models.campaign import campaign, options
from benchmarks.models.reasons import reasons

STAGES = ("optimize", "compare")
#: Pairs of calls of each comparison, and what interval is told.
PAIRS, CONFIDENCE = 100, 0.95
#: What models could gain by faster kernels alone.
CEILINGS = Path(__file__).parents[1] / "results" / "models" / "ceiling_h200.json"
#: Runs a stage on the test bed, which comes before Triton is imported.
ON_BED = """\
import sys
from benchmarks.models.row import bed
bed().install()
from benchmarks.models.optimize import main
sys.exit(main(sys.argv[1:]))
"""


def optimize(name: str, tiny: bool, budget: float, mode: str, _folder: Path) -> dict[str, Any]:
    """Spend the budget; what became of every kernel."""
    from kernelwright.driver.optimize.session import optimize_model

    model, inputs = _built(name, tiny)
    began = time.monotonic()

    def told(line: object) -> None:
        print(f"{time.monotonic() - began:6.1f} s  {line}", flush=True)

    found = optimize_model(model, inputs, budget=budget, mode=mode, say=told, done=told)
    return found.told()


def compare(name: str, tiny: bool, budget: float, mode: str, _folder: Path) -> dict[str, Any]:
    """Inductor, Inductor again and ours in turns; within half of the budget."""
    import torch

    from kernelwright.driver.extraction.modes import EVAL
    from kernelwright.driver.extraction.recording import run_once
    from kernelwright.driver.optimize.admission import summary
    from kernelwright.driver.optimize.watches import watch_for
    from kernelwright.driver.torch_compile import regions

    model, inputs = _built(name, tiny)
    model.train(mode != EVAL)
    sides: dict[str, Callable[[], object]] = {}
    for side, backend in (("inductor", "inductor"), ("same", "inductor"), ("ours", "kernelwright")):
        call = torch.compile(_apart(model), backend=backend)
        sides[side] = lambda call=call: run_once(call, model, inputs, mode)
        for _ in range(3):
            sides[side]()
        if side == "ours":
            swaps = [swap for region in regions() for swap in region.swaps]
    watch = watch_for("cuda" if torch.cuda.is_available() else "cpu")
    device: dict[str, list[float]] = {side: [] for side in sides}
    host: dict[str, list[float]] = {side: [] for side in sides}
    chance = random.Random()  # buffers of a model take turns over some calls: a fixed order would favour one side
    ends = time.monotonic() + budget / 2
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


def _built(name: str, tiny: bool) -> tuple[Any, tuple[Any, ...]]:
    """A model in bf16 in eval, and the inputs of its forward."""
    from benchmarks.models.cases import CASES

    return CASES[name].built(tiny)


def _child(name: str, stage: str, arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """What a stage finds in a process of its own; a `failure` in words where it finds nothing."""
    import torch

    given = ["--child", stage, "--only", name, "--budget", str(arguments.budget), "--mode", arguments.mode]
    given += ["--tiny"] if arguments.tiny else []
    run = ["-m", "benchmarks.models.optimize"] if torch.cuda.is_available() else ["-c", ON_BED]
    found, said = apart(run, given, folder, stage, arguments.limit)
    if arguments.verbose:
        print(f"---- {name} {stage}\n{said[-20000:]}", flush=True)
    return found


def row_of(name: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """Both stages of a model; the second one also after a first one that failed."""
    row: dict[str, Any] = {"id": name, "sizes": "small" if arguments.tiny else "real", "mode": arguments.mode}
    row["budget_s"] = arguments.budget
    with tempfile.TemporaryDirectory() as folder:
        for stage in STAGES:
            row[stage] = _child(name, stage, arguments, Path(folder))
    failed = [stage for stage in STAGES if "failure" in row[stage]]
    return row | {"status": f"{failed[0]} failed" if failed else "ok"}


def summary_of(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What the rows say in all: ratios of the device's time, Inductor's over ours."""
    done = {name: row["compare"]["device_ours"] for name, row in rows.items() if row["status"] == "ok"}
    ratios = sorted(one["ratio"] for one in done.values())
    means = {"all": ratios, "without_best": ratios[:-1]}
    return {
        "models": len(rows),
        "open": {name: row["status"] for name, row in rows.items() if row["status"] != "ok"},
        "ratio": {name: [one["ratio"], one["low"], one["high"]] for name, one in done.items()},
        "not_admitted": {name: _reasons(row["optimize"]) for name, row in rows.items() if "kernels" in row["optimize"]},
        "geometric_mean": {name: round(geometric_mean(some), 4) for name, some in means.items() if some},
    }


def _reasons(found: Mapping[str, Any]) -> dict[str, list[float]]:
    return reasons(found["kernels"], found["model_us"])


def by_worth() -> list[str]:
    """All models, those whose kernels have most to gain first."""
    from benchmarks.models.cases import CASES

    known = json.loads(CEILINGS.read_text("utf-8"))["rows"]
    return sorted(CASES, key=lambda name: -known[name]["ceilings"]["generated"] if name in known else 0.0)


def main(given: Sequence[str] | None = None) -> int:
    """Write OUT; 0 if every model was measured."""
    parser = options(__doc__, "runs/models/optimize.json", 400.0)
    parser.add_argument("--budget", type=float, default=90.0, help="seconds for `optimize` of a model")
    parser.add_argument("--mode", default="eval", help="eval, train or autocast")
    parser.add_argument("--verbose", action="store_true", help="print what the processes print")
    parser.add_argument("--child", choices=STAGES, help=argparse.SUPPRESS)
    arguments = parser.parse_args(given)
    if arguments.child:
        return _work(arguments)
    found = campaign(
        arguments,
        by_worth(),
        lambda name, _left: row_of(name, arguments),
        lambda row: row.get("status") != "ok",  # one that failed is tried again
        summary_of,
        lambda row: row["status"],
        {"budget": arguments.budget, "mode": arguments.mode},
        pairs=PAIRS,
        confidence=CONFIDENCE,
    )
    return 0 if not found["open"] else 1


def _work(arguments: argparse.Namespace) -> int:
    """One stage, in its own process."""
    work = {"optimize": optimize, "compare": compare}[arguments.child]
    folder = arguments.out.parent
    found = work(arguments.only, arguments.tiny, arguments.budget, arguments.mode, folder)
    arguments.out.write_text(json.dumps(found), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
