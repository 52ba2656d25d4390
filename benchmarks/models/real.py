"""Models at real sizes under `torch.compile(backend="kernelwright")` on a GPU, beside plain Inductor.

    python -m benchmarks.models.real --jobs 2 --seconds 500 --out benchmarks/results/models/models_h200.json

Five processes work on a model, in turn. `fill` compiles it, takes each kernel out as a problem of its own, and keeps a
verified replacement for each that has one: its own lowering, not a faster kernel. `plain` is Inductor alone, and fills
its caches. `ours` loads the replacements for the first time, and compares outputs, gradients and times with plain
Inductor's. `second` is Inductor alone once more, and `again` ours; both find all caches warm.

An output is right if its error against the model in fp32 is at most `TIMES` that of plain Inductor's or of eager's, if
that is larger. Host time is that
of a call that finds the GPU idle, until it returns; the two take turns. OUT.journal gets every row as it is found, and
the same command goes on from there. `--tiny` makes models small, which is what a rehearsal without a GPU takes.
"""

import argparse
import json
import math
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks.models.apart import apart
from benchmarks.models.campaign import campaign, options, status_of
from benchmarks.models.cases import CASES
from benchmarks.models.launches import launch_us
from benchmarks.models.row import counted
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.run.build import resolve_target
from kernelwright.ir.passes import Context
from kernelwright.ir.pipeline import parse_pipeline

#: How many times plain Inductor's error ours may be.
TIMES = 1.5
#: Calls by which host time is taken, of each side.
CALLS = 40
#: Seconds after which no more kernels of a model are judged.
FILL_S = 90.0
STAGES = ("fill", "plain", "ours", "second", "again")


@dataclass(frozen=True)
class Subject:
    """A model on its device, in bf16 unless `wide`."""

    model: nn.Module
    inputs: tuple[Tensor, ...]
    trained: bool

    @classmethod
    def of(cls, name: str, tiny: bool, wide: bool = False) -> "Subject":
        model, inputs = CASES[name].built(tiny, torch.float32 if wide else torch.bfloat16)
        return cls(model, inputs, CASES[name].trained)

    def output(self, run: Callable[..., Any]) -> Tensor:
        """What a call without gradients gives."""
        with torch.no_grad():
            found: Tensor = run(*self.inputs)
        return found.clone()

    def gradients(self, run: Callable[..., Any]) -> Tensor:
        """Of all parameters, for the mean square of the output; one long row."""
        self.model.zero_grad(set_to_none=True)
        run(*self.inputs).float().square().mean().backward()
        # Compiled code gives zeros where eager gives nothing.
        found = [(torch.zeros_like(p) if p.grad is None else p.grad).float().flatten() for p in self.model.parameters()]
        self.model.zero_grad(set_to_none=True)
        return torch.cat(found)


def error(found: Tensor, gold: Tensor) -> float:
    """Root mean square of the difference over that of the gold; infinite where something is not finite."""
    difference, gold = found.double() - gold.double(), gold.double()
    ratio = float(difference.square().mean().sqrt() / gold.square().mean().sqrt())
    return ratio if math.isfinite(ratio) else math.inf


def _sync() -> None:
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def _first_call(subject: Subject, run: Callable[..., Any]) -> float:
    """Seconds until the first output is there."""
    subject.output(subject.model)
    _sync()
    began = time.perf_counter()
    subject.output(run)
    _sync()
    return time.perf_counter() - began


def _hits() -> dict[str, int]:
    from kernelwright.frontend.swap.graphs import cache_hits

    hits, misses = cache_hits()
    return {"hit": hits, "miss": misses}


def fill(name: str, tiny: bool, _folder: Path) -> dict[str, Any]:
    """Keep a verified replacement for each kernel that has one; what became of the kernels."""
    from kernelwright.backend.store.store import Store
    from kernelwright.driver.extraction.filling import ANSWER, Filling
    from kernelwright.evaluation.judge.local import LocalEvaluator
    from kernelwright.frontend.swap.graphs import GraphRecorder

    discover()
    began, subject, recorder = time.perf_counter(), Subject.of(name, tiny), GraphRecorder()
    run = torch.compile(subject.model, backend=recorder)
    subject.output(run)
    if subject.trained:
        subject.gradients(run)
    torch.compiler.reset()
    recorded_s = time.perf_counter() - began
    target = resolve_target("auto" if torch.cuda.is_available() else "interpreter")
    outcomes = []
    with LocalEvaluator(target, seeds=1) as evaluator:
        filling = Filling(Store.open(), parse_pipeline(ANSWER), Context(target, evaluator=evaluator))
        for outcome in filling.fill(recorder.graphs):
            outcomes.append(outcome)
            print(f"{time.perf_counter() - began:.0f} s {outcome}", flush=True)
            if time.perf_counter() - began > FILL_S:
                break
    return {
        **counted(recorder.graphs),
        "became": dict(Counter(outcome.became for outcome in outcomes)),
        "forms": dict(Counter(outcome.why for outcome in outcomes if outcome.became == "stored")),
        "refused": [f"{one.name}: {one.why[:200]}" for one in outcomes if one.became in ("refused", "wrong")],
        "seconds": {"recording": round(recorded_s, 1), "all": round(time.perf_counter() - began, 1)},
    }


def plain(name: str, tiny: bool, folder: Path) -> dict[str, Any]:
    """Inductor alone, and its outputs for `ours` to be compared with."""
    subject = Subject.of(name, tiny)
    run = torch.compile(subject.model)
    found = {"first_s": _first_call(subject, run), "caches": _hits()}
    for side, call in (("plain", run), ("eager", subject.model)):
        kept = {"output": subject.output(call)} | ({"gradients": subject.gradients(call)} if subject.trained else {})
        torch.save({key: value.cpu() for key, value in kept.items()}, folder / f"{side}.pt")
    return found


def second(name: str, tiny: bool, _folder: Path) -> dict[str, Any]:
    """Inductor in a process that finds its caches warm."""
    subject = Subject.of(name, tiny)
    return {"first_s": _first_call(subject, torch.compile(subject.model)), "caches": _hits()}


def again(name: str, tiny: bool, _folder: Path) -> dict[str, Any]:
    """Ours in a process that finds all caches warm."""
    subject = Subject.of(name, tiny)
    run = torch.compile(subject.model, backend="kernelwright")
    return {"first_s": _first_call(subject, run), "caches": _hits(), "kernels": _kernels()}


def ours(name: str, tiny: bool, folder: Path) -> dict[str, Any]:
    """Outputs, gradients, CUDA graphs and host time with replacements in force."""
    subject = Subject.of(name, tiny)
    run, theirs = torch.compile(subject.model, backend="kernelwright"), torch.compile(subject.model)
    found: dict[str, Any] = {"first_s": _first_call(subject, run), "caches": _hits(), "kernels": _kernels()}
    got = {"output": subject.output(run)}
    subject.output(theirs)
    found["host_us"] = _host_us(subject, run, theirs)
    found["launch_us"] = launch_us(lambda: subject.output(run), _replaced())
    if torch.cuda.is_available():
        graphs = torch.compile(subject.model, backend="kernelwright", mode="reduce-overhead")
        for _ in range(3):  # the third call replays what was captured
            got["output under CUDA graphs"] = subject.output(graphs)
    if subject.trained:
        got["gradients"] = subject.gradients(run)
        found["kernels with gradients"] = _kernels()
    found["errors"] = _errors(name, tiny, got, *(torch.load(folder / f"{side}.pt") for side in ("plain", "eager")))
    return found


def _errors(
    name: str, tiny: bool, got: Mapping[str, Tensor], plain: Mapping[str, Tensor], eager: Mapping[str, Tensor]
) -> dict[str, Any]:
    """Of each output against the model in fp32: ours, plain Inductor's and eager's."""
    subject = Subject.of(name, tiny, wide=True)
    gold = {"output": subject.output(subject.model)}
    if subject.trained:
        gold["gradients"] = subject.gradients(subject.model)
    found = {}
    for which, value in got.items():
        kind = which.partition(" ")[0]
        sides = {"ours": value, "inductor": plain[kind].to(value.device), "eager": eager[kind].to(value.device)}
        errors = {side: error(one, gold[kind]) for side, one in sides.items()}
        right = errors["ours"] <= TIMES * max(errors["inductor"], errors["eager"])
        found[which] = {**{side: float(f"{one:.4g}") for side, one in errors.items()}, "right": right}
    return found


def _host_us(subject: Subject, run: Callable[..., Any], theirs: Callable[..., Any]) -> dict[str, float]:
    """Medians over calls that take turns."""
    times: dict[str, list[float]] = {"ours": [], "inductor": []}
    with torch.no_grad():
        for _ in range(CALLS):
            for side, call in (("ours", run), ("inductor", theirs)):
                _sync()
                began = time.perf_counter()
                call(*subject.inputs)
                times[side].append(1e6 * (time.perf_counter() - began))
    _sync()
    return {side: statistics.median(some) for side, some in times.items()}


def _kernels() -> dict[str, Any]:
    """How many kernels were loaded in this process, how many of them are ours, and why the others are not."""
    from kernelwright.driver.torch_compile.record import regions

    swaps = [swap for region in regions() for swap in region.swaps]
    why = Counter(swap.why[:100] for swap in swaps if swap.runs != "kernelwright")
    return {"loaded": len(swaps), "replaced": len(swaps) - why.total(), "why": dict(why.most_common(6))}


def _replaced() -> set[str]:
    """The keys of the kernels that are ours in this process."""
    from kernelwright.driver.torch_compile.record import regions

    return {swap.key for region in regions() for swap in region.swaps if swap.runs == "kernelwright"}


def _child(name: str, stage: str, tiny: bool, folder: Path, limit_s: float) -> dict[str, Any]:
    """What a stage finds in a process of its own; a `failure` in words where it finds nothing."""
    given = ["--child", stage, "--only", name, *(["--tiny"] if tiny else [])]
    return apart(["-m", "benchmarks.models.real"], given, folder, stage, limit_s)[0]


def row_of(name: str, tiny: bool, limit_s: float) -> dict[str, Any]:
    """All stages of a model; what comes after one that fails is left out."""
    row: dict[str, Any] = {"id": name, "sizes": "small" if tiny else "real"}
    with tempfile.TemporaryDirectory() as folder:
        for stage in STAGES:
            row[stage] = _child(name, stage, tiny, Path(folder), limit_s)
            if "failure" in row[stage]:
                return row | {"status": f"{stage} failed"}
    return row | judged(row)


def judged(row: Mapping[str, Any]) -> dict[str, Any]:
    """What a row says of the three promises: right, at little host time, and quick the second time."""
    mine, launches = row["ours"], row["ours"]["launch_us"]["launches"]
    host = mine["host_us"]["ours"] - mine["host_us"]["inductor"]
    return {
        "status": "ok" if all(one["right"] for one in mine["errors"].values()) else "wrong",
        "host_us_a_launch": round(host / launches, 2) if launches else None,
        "second_process_s": round(row["again"]["first_s"] - row["second"]["first_s"], 2),
    }


def summary(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What the rows say in all."""
    done = {name: row for name, row in rows.items() if row["status"] in ("ok", "wrong")}
    kernels = [row["ours"]["kernels"] for row in done.values()]
    host = [row["ours"]["launch_us"]["added_at_most"] for row in done.values()]
    return {
        "models": len(rows),
        "open": {name: row["status"] for name, row in rows.items() if row["status"] != "ok"},
        "loaded": sum(one["loaded"] for one in kernels),
        "replaced": sum(one["replaced"] for one in kernels),
        "added_us_a_launch_at_most": max((one for one in host if one is not None), default=None),
        "second_process_s_at_most": max((row["second_process_s"] for row in done.values()), default=None),
    }


def main(given: Sequence[str] | None = None) -> int:
    """Write OUT; 0 if every model is right."""
    parser = options(__doc__, "runs/models/models_gpu.json", 200.0)
    parser.add_argument("--child", choices=STAGES, help=argparse.SUPPRESS)
    arguments = parser.parse_args(given)
    if arguments.child:
        work = {"fill": fill, "plain": plain, "ours": ours, "second": second, "again": again}[arguments.child]
        arguments.out.write_text(json.dumps(work(arguments.only, arguments.tiny, arguments.out.parent)), "utf-8")
        return 0
    found = campaign(
        arguments,
        list(CASES),
        lambda name, _left, _before: row_of(name, arguments.tiny, arguments.limit),
        lambda _row: False,
        summary,
        lambda row: row["status"],
        calls=CALLS,
    )
    return 0 if not found["open"] else 1


if __name__ == "__main__":
    sys.exit(status_of(main))
