"""Measure how good the cost model is on a GPU: predicted against measured time, for good and bad launch options.

    python -m benchmarks.cost.cost_model --problems problems.jsonl --plan plan.json --target h200 --predict-only
    python -m benchmarks.cost.cost_model --plan plan.json --budget 120 --resume --out cost_model_h200.json
    python -m benchmarks.cost.cost_model --plan plan.json --repredict --out cost_model_h200.json
    python -m benchmarks.cost.cost_model --summarize --out cost_model_h200.json

The first command needs no GPU. It lowers every problem at full size, takes the kernel with the largest estimate,
draws launch options for it, and predicts each one. The plan holds modules and options, so the second command measures
the same launches with the versions of its machine. The third command judges today's model by times that were measured
before. Given `--problems` on a machine with a GPU, a missing plan is made first. A line of the problems' file is
{"level", "problem_id", "name", "code"}; results hold none of the code.

A plan changes with the code that makes it. The plan of the committed results is the one that commit 810f8d08 makes with
its benchmarks/cost_model.py, but for level2_3 and level2_41: there the results name another kernel than it chooses.

A time is the device's time for one launch in microseconds, from CUDA events behind a flush of the L2 cache. Every
second problem is held out: constants of the model may be fitted to the others only.
"""

import argparse
import json
import math
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from unittest import mock

import torch
import triton
from torch.fx.passes.fake_tensor_prop import FakeTensorMode

from benchmarks.cost import cost_model_gpu as gpu
from benchmarks.row_lines import command_line, write_result
from kernelwright.backend.compile.compiler import CompileFailureError, compile_launch
from kernelwright.backend.cost.model import LaunchCost, estimate, launch_cost
from kernelwright.backend.cost.work import in_bounds
from kernelwright.backend.launch.execute import Launch, trace_launches
from kernelwright.backend.targets import Target, detect_target, get_target
from kernelwright.backend.tuning.space import ConfigSpace, Meta, space_of
from kernelwright.backend.tuning.trials import with_meta
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.errors import KernelwrightError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.passes import Context
from kernelwright.ir.printer import print_module
from kernelwright.ir.values import KernelModule

#: One problem's kernel with its options, or one choice of options: plain JSON.
Case = dict[str, Any]
#: Bytes of a kernel's tensors above which it is left out.
LARGEST = 40 * 2**30
#: How much longer than the best an option may be predicted to take; others would only cost time.
HOPELESS = 100
#: How much longer than the best the model's favourite may take.
GOOD = 1.2
#: Options whose times are closer are the same to whoever chooses; so many that are not make an order worth the name.
SAME, SEVERAL = 1.05, 8


def lowered(source: str, name: str, target: Target) -> KernelModule:
    """The program's module at full size, lowered without allocating or computing anything."""
    module = import_source(source, name, shrink="never")
    # A fake tensor is where it should be, and refuses to be swapped for another.
    with FakeTensorMode(), mock.patch.object(torch.nn.Module, "to", lambda model, *_: model):
        return LowerInductor(device="cpu").run(module, Context(target=target.name))


def sample(space: ConfigSpace, target: Target, count: int) -> list[Meta]:
    """The given options, half of the rest from what is usually good and half from everywhere else, evenly."""
    ranked = space.by_distance(space.all(), target)
    good, rest = ranked[: count // 2], ranked[count // 2 :]
    wanted = min(count - 1 - len(good), len(rest))
    return [space.start, *good, *(rest[(place + 1) * len(rest) // wanted - 1] for place in range(wanted))]


def launch_of(module: KernelModule, symbol: str, meta: Meta, number: int) -> tuple[KernelModule, Launch]:
    """The module with these options, and the launch of that number among the kernel's."""
    trial = with_meta(module, symbol, meta)
    return trial, [launch for launch in trace_launches(trial) if launch.symbol == symbol][number]


def cost_of(module: KernelModule, launch: Launch, target: Target) -> LaunchCost:
    """The model's cost of one launch."""
    return launch_cost(launch, compile_launch(module, launch, target), target)


def plan_case(row: Case, target: Target, count: int) -> Case | None:
    """A problem's most expensive launch with up to `count` options; None where there is nothing to choose."""
    module = lowered(row["code"], f"level{row['level']}_{row['problem_id']}", target)
    costs = estimate(module, target).kernels_us
    for symbol in sorted(costs, key=lambda name: -costs[name]):
        launches = [launch for launch in trace_launches(module) if launch.symbol == symbol]
        single = [cost_of(module, launch, target) for launch in launches]
        number = max(range(len(single)), key=lambda index: single[index].us)
        space = space_of(module, symbol, math.prod(launches[number].grid), frozenset())
        rows = []
        for meta in sample(space, target, count):
            try:
                trial, launch = launch_of(module, symbol, meta, number)
                if not in_bounds(compile_launch(trial, launch, target).ttir, launch):
                    continue
                rows.append({"options": dict(meta), **predicted(cost_of(trial, launch, target))})
            except CompileFailureError:
                continue
        if len(rows) > 1 and single[number].bytes < LARGEST:
            known = {key: row[key] for key in ("level", "problem_id", "name")}
            place = {"symbol": symbol, "launch": number, "module": print_module(module)}
            most = HOPELESS * min(row[PREDICTED] for row in rows)
            return {"problem": module.name, **known, **place, "rows": [row for row in rows if row[PREDICTED] <= most]}
    return None


PREDICTED, MEASURED = "predicted_us", "measured_us"


def predicted(cost: LaunchCost) -> Case:
    """A prediction as JSON."""
    return {PREDICTED: round(cost.us, 3), "bound": cost.bound}


def make_plan(arguments: argparse.Namespace, target: Target) -> None:
    """The plan with a case for each problem; written after each, and taken up where an earlier plan stopped."""
    levels = {int(level) for level in arguments.levels.split(",")}
    rows = [json.loads(line) for line in arguments.problems.read_text("utf-8").splitlines() if line.strip()]
    plan = json.loads(arguments.plan.read_text("utf-8")) if arguments.plan.exists() else {"tried": [], "cases": []}
    began = time.monotonic()
    for row in rows:
        key = f"level{row['level']}_{row['problem_id']}"
        if row["level"] not in levels or key in plan["tried"] or time.monotonic() - began > arguments.budget:
            continue
        try:
            case = plan_case(row, target, arguments.per_problem)
        except KernelwrightError as error:
            print(f"{key}: {error}", file=sys.stderr)
            case = None
        plan["tried"].append(key)
        plan["cases"] += [case] if case else []
        plan["predicted_with"] = {"torch": torch.__version__, "triton": triton.__version__, "target": target.name}
        arguments.plan.write_text(json.dumps(plan) + "\n", "utf-8")
        print(key, f"{len(case['rows'])} options of @{case['symbol']}" if case else "nothing", flush=True)


def trials(case: Case) -> Iterator[tuple[Case, KernelModule, Launch]]:
    """The rows of a case, each with its module and launch."""
    module = parse_module(case["module"], name=case["problem"])
    for row in case["rows"]:
        yield row, *launch_of(module, case["symbol"], tuple(row["options"].items()), case["launch"])


def compile_case(case: Case) -> list[str]:
    """Compile all rows of a case into Triton's cache, in a process of its own."""
    return [gpu.warm_up(module, launch) for _, module, launch in trials(case)]


def measure_case(case: Case) -> list[Case]:
    """The rows of a case with times, those left out that this machine cannot launch."""
    rows, given = [], None
    for row, module, launch in trials(case):
        given = gpu.arguments(launch) if given is None else given
        found = {**row, **gpu.measure_us(module, launch, given)}
        rows += [found] if math.isfinite(found[MEASURED]) else []
    return rows


def measure(arguments: argparse.Namespace, cases: Sequence[Case], result: Case) -> None:
    """Measure the cases that the result lacks, as far as the budget goes; written after each."""
    began = time.monotonic()
    result["caliber"] = gpu.caliber()
    left = [case for case in cases if case["problem"] not in result["problems"]]
    left.sort(key=lambda case: (case["problem_id"], case["level"]))
    with ProcessPoolExecutor(arguments.processes, mp_context=get_context("spawn")) as pool:
        compiled = [pool.submit(compile_case, case) for case in left]
        for case, future in zip(left, compiled, strict=True):
            if time.monotonic() - began > arguments.budget:
                pool.shutdown(wait=False, cancel_futures=True)
                break
            if failures := [text for text in future.result() if text]:
                print(f"{case['problem']}: {failures}", file=sys.stderr)
            if rows := measure_case(case):
                known = {key: case[key] for key in ("level", "problem_id", "name", "symbol")}
                result["problems"][case["problem"]] = {**known, "rows": rows}
                save(arguments.out, result)
            torch.cuda.empty_cache()
            print(f"{time.monotonic() - began:.1f} s {case['problem']}", file=sys.stderr)


def repredict(cases: Sequence[Case], result: Case, target: Target) -> None:
    """Put the present model's predictions in place of those that the result holds."""
    for case in cases:
        if case["problem"] in result["problems"]:
            now = {str(row["options"]): cost_of(module, launch, target) for row, module, launch in trials(case)}
            for row in result["problems"][case["problem"]]["rows"]:
                row |= predicted(now[str(row["options"])])


def ranks(values: Sequence[float]) -> list[float]:
    """The place of each value when sorted, from 1; equal values share the mean of theirs."""
    ordered = sorted(values)
    first = {value: place for place, value in reversed(list(enumerate(ordered, 1)))}
    last = {value: place for place, value in enumerate(ordered, 1)}
    return [(first[value] + last[value]) / 2 for value in values]


def rank_correlation(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Spearman's, with ties by average ranks; None where one side is constant."""
    left, right = ranks(a), ranks(b)
    if len(set(left)) < 2 or len(set(right)) < 2:
        return None
    return statistics.correlation(left, right)


def favourite_over_best(rows: Sequence[Case]) -> float:
    """The time of what the model likes best over the best time; of equal favourites, the slowest."""
    least = min(row[PREDICTED] for row in rows)
    return float(max(r[MEASURED] for r in rows if r[PREDICTED] == least) / min(r[MEASURED] for r in rows))


def different(rows: Sequence[Case]) -> list[Case]:
    """Of options whose times are the same but for SAME the fastest, from the fastest on: each of the others takes
    longer by more than that than the one before it."""
    found: list[Case] = []
    for row in sorted(rows, key=lambda row: float(row[MEASURED])):
        if not found or row[MEASURED] > SAME * found[-1][MEASURED]:
            found.append(row)
    return found


def holds_best(rows: Sequence[Case], first: int = 3) -> bool:
    """Whether one of those that the model likes best is the best, or the same as it."""
    liked = sorted(rows, key=lambda row: float(row[PREDICTED]))[:first]
    return bool(min(row[MEASURED] for row in liked) <= SAME * min(row[MEASURED] for row in rows))


def _correlated(rows: Sequence[Case]) -> float | None:
    return rank_correlation([row[PREDICTED] for row in rows], [row[MEASURED] for row in rows])


def figures(problems: Sequence[Case]) -> Case:
    """What the predictions of these problems are worth."""
    rows = [row for problem in problems for row in problem["rows"]]
    if not rows:
        return {"problems": 0, "pairs": 0}
    several = [problem["rows"] for problem in problems if len(problem["rows"]) > 1]
    found = [favourite_over_best(rows) for rows in several]
    known = [value for rows in several if (value := _correlated(rows)) is not None]
    apart = [rows for rows in map(different, several) if len(rows) >= SEVERAL]
    found_apart = [holds_best(rows) for rows in apart]
    known_apart = [value for rows in apart if (value := _correlated(rows)) is not None]
    chosen = [rows for rows in several if len(rows) >= SEVERAL]
    return {
        "problems": len(problems),
        "pairs": len(rows),
        "rank_correlation": _correlated(rows),
        "rank_correlation_within_a_problem_median": statistics.median(known) if known else None,
        "problems_with_different_options": len(apart),
        "rank_correlation_of_different_options_median": statistics.median(known_apart) if known_apart else None,
        "first_three_of_different_options_hold_the_best": statistics.mean(found_apart) if apart else None,
        "first_three_hold_the_best": sum(map(holds_best, chosen)) / len(chosen) if chosen else None,
        "favourite_over_best_median": statistics.median(found) if found else None,
        f"favourite_over_best_at_most_{GOOD}": sum(f <= GOOD for f in found) / len(found) if found else None,
        "favourite_over_best_max": max(found, default=None),
        "given_over_best_median": statistics.median(r[0][MEASURED] / min(x[MEASURED] for x in r) for r in several)
        if several
        else None,
        "mean_log_error": statistics.mean(abs(math.log(r[PREDICTED] / r[MEASURED])) for r in rows),
    }


def save(path: Path, result: Case) -> None:
    """Write the result with figures over all problems and over either half.

    `blind` are the figures of the predictions that were made before anything was measured.
    """
    problems = [result["problems"][name] for name in sorted(result["problems"])]
    for problem in problems:
        problem["held_out"] = problem["problem_id"] // 2 % 2 == 1
        problem["favourite_over_best"] = favourite_over_best(problem["rows"])
    held_out = [problem for problem in problems if problem["held_out"]]
    fitted = [problem for problem in problems if not problem["held_out"]]
    result["summary"] = {"all": figures(problems), "fitted": figures(fitted), "held_out": figures(held_out)}
    keys = ("command", "caliber", "predicted_with", "summary", "blind", "problems")
    ordered = {key: result[key] for key in keys if key in result}
    write_result(path, ordered)


def main() -> int:
    """Plan, measure or judge again; 0 where the figures are good enough, or only a plan was wanted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=Path, help="JSON lines of problems, to make the plan from")
    parser.add_argument("--levels", default="1,2")
    parser.add_argument("--per-problem", type=int, default=12, help="choices of launch options for each problem")
    parser.add_argument(
        "--plan", type=Path, default=Path("cost_model_plan.json"), help="the plan; a missing one is made"
    )
    parser.add_argument("--target", help="the target to predict for; by default this machine's GPU")
    parser.add_argument("--budget", type=float, default=math.inf, help="seconds after which no measurement begins")
    parser.add_argument(
        "--processes", type=int, default=12, help="processes that compile, on the machine that measures"
    )
    parser.add_argument("--predict-only", action="store_true", help="make the plan, measure nothing")
    parser.add_argument("--repredict", action="store_true", help="measure nothing; predict the launches in --out again")
    parser.add_argument("--summarize", action="store_true", help="measure and predict nothing; sum --out up again")
    parser.add_argument("--resume", action="store_true", help="keep the rows that --out has")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/cost/cost_model_h200.json"))
    arguments = parser.parse_args()
    if arguments.summarize:
        return _save_and_tell(arguments.out, json.loads(arguments.out.read_text("utf-8")))
    target = get_target(arguments.target) if arguments.target else detect_target()
    if arguments.problems:
        make_plan(arguments, target)
    if arguments.predict_only:
        return 0
    plan = json.loads(arguments.plan.read_text("utf-8"))
    cases = plan["cases"]
    keep = (arguments.resume or arguments.repredict) and arguments.out.exists()
    result = json.loads(arguments.out.read_text("utf-8")) if keep else {"problems": {}}
    result["predicted_with"] = plan["predicted_with"]
    if arguments.repredict:
        result.setdefault("blind", result["summary"])
        repredict(cases, result, get_target(plan["predicted_with"]["target"]))
        result["predicted_with"] |= {"torch": torch.__version__, "triton": triton.__version__}
    else:
        result["command"] = command_line()
        measure(arguments, cases, result)
    return _save_and_tell(arguments.out, result)


def _save_and_tell(out: Path, result: Case) -> int:
    save(out, result)
    print(json.dumps(result["summary"], indent=1))
    found = result["summary"]["all"]
    return 0 if found["rank_correlation"] >= 0.8 and found["favourite_over_best_median"] <= GOOD else 1


if __name__ == "__main__":
    sys.exit(main())
