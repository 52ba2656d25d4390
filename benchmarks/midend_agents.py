"""How much faster mid-end agents make modules by the passes that they choose, and search with as many evaluations.

usage: midend_agents.py OUT.json --modules PAIRS.jsonl [--arm NAME=FORM[:ADAPTER]]… [--n 8] [key=value …]

Each arm proposes `--n` choices of passes for each module of the pairs' split `test`, at temperature 1. Besides the arms
that are asked for there are `random` (choices drawn blindly), `search` (rewrites, then launch options on the best, with
the measured times to go by, n modules measured) and `pairs` (the choice of the pair, found by the cost model). Distinct
modules are verified and timed once: on a GPU by the rungs parse and run, which estimate a time in the process that
checked the outputs; without one by the cost model, unverified. OUT.json.journal keeps answers and times, so that a run
that was stopped goes on. key=value are of conf/policy (kind=vllm max_num_seqs=512).

A single attempt is one choice; where it is illegal or fails, the given module is kept and its speedup is 1. The best
of n is the fastest verified one, or the given module. Figures are geometric means over modules (of a single attempt:
of its geometric mean over the choices), intervals 95% by bootstrap over modules, differences quotients on the same
modules.
"""

import argparse
import json
import math
import multiprocessing
import statistics
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import agents
import torch
from agents import Arm

from kernelwright.agent.evaluator import Rung
from kernelwright.agent.policy import Sampling
from kernelwright.agent.reading import fenced
from kernelwright.agent.rewards import make_reward
from kernelwright.backend.compiler import CompileFailureError
from kernelwright.backend.cost import estimate
from kernelwright.backend.targets import get_target
from kernelwright.driver.build import discover, open_pool, resolve_target
from kernelwright.driver.journal import Journal
from kernelwright.driver.policies import PolicySettings, open_policy
from kernelwright.driver.settings import EvaluatorSettings
from kernelwright.evaluate.pool import Pool, usable_cores
from kernelwright.ir.errors import KernelwrightError, UserError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.values import KernelModule
from kernelwright.midend.agent import MidendAgent
from kernelwright.midend.choice_search import ChoiceSearch, drawn_choice
from kernelwright.rl.data import MIDEND, TEST, Pair, read_rows

RUNGS = (Rung.PARSE, Rung.RUN)
#: Timed runs of one estimate, and draws of inputs as given that a module must pass besides the other kinds.
SAMPLES, SEEDS = 50, 1
RANDOM, SEARCH, PAIRS = "random", "search", "pairs"


def made(text: str, module: KernelModule, target: str) -> KernelModule | str:
    """The module that an answer's choice makes, or why there is none; in a process of its own."""
    discover()
    try:
        found = MidendAgent(target, make_reward("frontend"), "pipeline").parse(text, module)
    except KernelwrightError as error:
        return str(error)
    return found if isinstance(found, KernelModule) else str(found[0])


def modelled(module: KernelModule, target: str) -> dict[str, Any]:
    """What the cost model says of a module; in a process of its own."""
    torch.set_num_threads(1)
    try:
        return {"status": "ok", "us": estimate(module, get_target(target)).us}
    except CompileFailureError:
        return {"status": "compile_error", "us": None}


@dataclass
class Timer:
    """Verifies and times modules, each once, however many threads ask; the journal remembers."""

    journal: Journal
    processes: ProcessPoolExecutor
    target: str
    pool: Pool | None
    _running: dict[str, Future[dict[str, Any]]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def timed(self, module: KernelModule) -> dict[str, Any]:
        """Status and microseconds (None where there are none)."""
        name = f"time/{module.digest}"
        with self._lock:
            if name in self.journal.results:
                return self.journal.results[name]
            running, mine = self._running.get(name), Future[dict[str, Any]]()
            if running is None:
                self._running[name] = mine
        if running is not None:
            return running.result()
        try:
            found = self._take(module)
        except BaseException as error:
            mine.set_exception(error)
            raise
        with self._lock:
            self.journal.add(name, found)
        mine.set_result(found)
        return found

    def _take(self, module: KernelModule) -> dict[str, Any]:
        if self.pool is None:
            return self.processes.submit(modelled, module, self.target).result()
        try:
            verdict = self.pool.evaluate(module, RUNGS)
        except KernelwrightError as error:
            return {"status": "fault", "us": None, "cause": str(error)[:200]}
        us = 1e3 * verdict.times_ms["candidate"] if verdict.ok and "candidate" in verdict.times_ms else None
        return {"status": str(verdict.status), "us": us, "cause": verdict.detail[:200]}

    def attempt(self, text: str, module: KernelModule) -> dict[str, Any]:
        """What becomes of one answer."""
        found = self.processes.submit(made, text, module, self.target).result()
        if isinstance(found, str):
            return {"status": "illegal", "us": None, "cause": found[:200]}
        return {key: value for key, value in self.timed(found).items() if key != "id"}

    def searched(self, module: KernelModule, n: int) -> list[dict[str, Any]]:
        """The search's evaluations: n modules, each next one by the times so far."""
        tried: list[dict[str, Any]] = []

        def score(one: KernelModule) -> float:
            found = self.timed(one)
            tried.append({"status": found["status"], "us": found["us"]})
            return math.inf if found["us"] is None else float(found["us"])

        ChoiceSearch(module, score, self.target, n).best()
        return tried[1:]  # the first is the given module


def read_modules(path: Path, limit: int | None) -> dict[str, tuple[KernelModule, str]]:
    """The held-out modules by the ids of their pairs, each once, with the choices that answer them."""
    found: dict[str, tuple[KernelModule, str]] = {}
    seen: set[str] = set()
    for pair in read_rows(path, Pair):
        module = parse_module(pair.before)
        if pair.stage == MIDEND and pair.is_choice and pair.split == TEST and module.digest not in seen:
            seen.add(module.digest)
            found[pair.id] = module, pair.after
    if not found:
        raise UserError(f"{path} holds no pairs of the split {TEST} that choices of passes answer")
    return dict(list(found.items())[:limit])


def answers_of(
    given: argparse.Namespace,
    settings: PolicySettings,
    modules: Mapping[str, tuple[KernelModule, str]],
    journal: Journal,
) -> None:
    """Ask the policies what the journal lacks."""
    wanted = {
        arm: [name for name in modules if f"answers/{arm.name}/{name}" not in journal.results] for arm in given.arm
    }
    if not any(wanted.values()):
        return
    with open_policy(settings) as policy:
        for arm, names in wanted.items():
            began = time.monotonic()
            agent = MidendAgent(given.target, make_reward("frontend"), "pipeline", form=arm.form)
            sampling = Sampling(n=arm.n or given.n, max_tokens=given.max_tokens, seed=given.seed)
            for start in range(0, len(names), given.chunk):
                some = names[start : start + given.chunk]
                prompts = [agent.render(modules[name][0]) for name in some]
                answers = policy.sample(prompts, sampling, arm.name if arm.adapter else None)
                for name, texts in zip(some, answers, strict=True):
                    journal.add(f"answers/{arm.name}/{name}", {"texts": [one.text for one in texts]})
            sys.stderr.write(f"{arm.name}: {len(names)} modules answered in {time.monotonic() - began:.0f} s\n")


def rows_of(
    arms: Sequence[Arm], modules: Mapping[str, tuple[KernelModule, str]], timer: Timer, given: argparse.Namespace
) -> list[dict[str, Any]]:
    """What every arm's choices came to, module by module; modules that cannot be timed as they are are left out."""
    with ThreadPoolExecutor(given.workers) as threads:
        before = dict(zip(modules, threads.map(lambda one: timer.timed(one[0]), modules.values()), strict=True))
        whole = [name for name in modules if before[name]["us"] is not None]
        tasks: list[tuple[str, str, Callable[[], list[dict[str, Any]]]]] = []
        for name in whole:
            module, choice = modules[name]
            texts = {arm.name: timer.journal.results[f"answers/{arm.name}/{name}"]["texts"] for arm in arms}
            texts[RANDOM] = [
                fenced(drawn_choice(Random(f"{given.seed}/{name}/{index}")), "") for index in range(given.n)
            ]
            texts[PAIRS] = [fenced(choice, "")]
            for arm, some in texts.items():
                tasks.append((arm, name, lambda s=some, m=module: [timer.attempt(text, m) for text in s]))
            tasks.append((SEARCH, name, lambda m=module: timer.searched(m, given.n)))
        results = list(threads.map(lambda task: task[2](), tasks))
    return [
        {
            "arm": arm,
            "module": name,
            "given_us": round(before[name]["us"], 3),
            "statuses": [one["status"] for one in found],
            "us": [one["us"] and round(one["us"], 3) for one in found],
        }
        for (arm, name, _), found in zip(tasks, results, strict=True)
    ]


def logs_of(row: Mapping[str, Any]) -> list[float]:
    """The logarithm of each attempt's speedup; 0 where the given module is kept."""
    return [math.log(row["given_us"] / us) if us else 0.0 for us in row["us"]]


def measures(row: Mapping[str, Any], n: int) -> dict[str, float]:
    """Logarithms of speedups of one module: of a single attempt, and of the best of n where there were so many."""
    logs = logs_of(row)
    found = {"best": max(0.0, *logs, 0.0)}
    if row["arm"] != SEARCH:
        found["single"] = statistics.fmean(logs)
    return found if row["arm"] == SEARCH or len(logs) >= n else {"single": found["single"]}


def geometric(values: Sequence[float]) -> float:
    """The geometric mean of what these are logarithms of."""
    return math.exp(agents.mean(values))


def summary(rows: Sequence[dict[str, Any]], n: int) -> dict[str, Any]:
    """Speedups of arms, and quotients of every two of them on the same modules, with intervals."""
    by_arm: dict[str, dict[str, dict[str, float]]] = {}
    statuses: dict[str, Counter[str]] = {}
    for row in rows:
        by_arm.setdefault(row["arm"], {})[row["module"]] = measures(row, n)
        statuses.setdefault(row["arm"], Counter()).update(row["statuses"])
    found: dict[str, Any] = {"speedups": {}, "quotients": {}}
    for arm, some in by_arm.items():
        entry: dict[str, Any] = {"modules": len(some), "statuses": dict(statuses[arm])}
        for what in ("single", "best"):
            values = [one[what] for one in some.values() if what in one]
            if values:
                entry[what] = agents.bootstrap(values, geometric)
        found["speedups"][arm] = entry
    names = list(by_arm)
    for index, one in enumerate(names):
        for other in names[:index]:
            entry = {}
            for what in ("single", "best"):
                shared = [
                    by_arm[one][name][what] - by_arm[other][name][what]
                    for name in by_arm[one]
                    if what in by_arm[one][name] and what in by_arm[other].get(name, {})
                ]
                if shared:
                    entry[what] = agents.bootstrap(shared, geometric)
            found["quotients"][f"{one} / {other}"] = entry
    return found


def table(found: dict[str, Any]) -> Iterator[str]:
    """The summary as lines."""
    for part in ("speedups", "quotients"):
        for key, entry in found[part].items():
            figures = [
                f"{name} {entry[name][0]:.3f}x [{entry[name][1]:.3f}, {entry[name][2]:.3f}]"
                for name in entry
                if name in ("single", "best")
            ]
            yield f"{key:24} " + "  ".join([*figures, *([str(entry["statuses"])] if "statuses" in entry else [])])


def read_arguments() -> tuple[argparse.Namespace, PolicySettings]:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--modules", type=Path, required=True)
    parser.add_argument("--arm", type=Arm.parse, action="append", default=[])
    parser.add_argument("--n", type=int, default=8)
    parser.add_argument("--chunk", type=int, default=150, help="modules of one call of the policy")
    parser.add_argument("--limit", type=int, help="modules")
    parser.add_argument("--max-tokens", type=int, default=96)
    parser.add_argument("--workers", type=int, default=usable_cores())
    parser.add_argument("--target", default="auto")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("policy", nargs="*", help="key=value of conf/policy")
    given = parser.parse_intermixed_args()
    given.target = resolve_target(given.target)
    return given, agents.policy_settings(given.policy, given.arm)


def run(given: argparse.Namespace, settings: PolicySettings) -> dict[str, Any]:
    """The whole content of the result."""
    discover()
    modules = read_modules(given.modules, given.limit)
    on_gpu, seconds, began = torch.cuda.is_available(), dict[str, float](), time.monotonic()
    how = f"parse and run, {SAMPLES} timed runs" if on_gpu else "cost model"
    made_with = {"model": settings.model, "judged": how, "target": given.target}
    made_with |= {name: getattr(given, name) for name in ("n", "max_tokens", "seed")}
    with Journal(given.out.with_name(f"{given.out.name}.journal"), made_with) as journal, ExitStack() as stack:
        answers_of(given, settings, modules, journal)
        seconds["answers"], began = time.monotonic() - began, time.monotonic()
        context = multiprocessing.get_context("spawn")
        processes = stack.enter_context(ProcessPoolExecutor(given.workers, context))
        options = EvaluatorSettings(seeds=SEEDS, samples=SAMPLES, externs=True)
        pool = stack.enter_context(open_pool(options, given.target, given.workers, cache=False)) if on_gpu else None
        rows = rows_of(given.arm, modules, Timer(journal, processes, given.target, pool), given)
    seconds["times"] = time.monotonic() - began
    caliber = agents.caliber(given.arm, settings, seconds, []) | {
        "judged": how if on_gpu else "by the cost model, not verified",
        "target": given.target,
        "modules_without_a_time": len(modules) - len({row["module"] for row in rows}),
    }
    del caliber["kernelbench_not_shrunken"]
    sampling = {name: getattr(given, name) for name in ("n", "max_tokens", "seed")} | {"temperature": 1.0}
    return {"caliber": caliber, "sampling": sampling, **summary(rows, given.n), "attempts": rows}


def main() -> int:
    """Ask, measure, and sum up; 2 for bad arguments."""
    try:
        given, settings = read_arguments()
        content = run(given, settings)
    except UserError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    given.out.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    sys.stdout.write("\n".join(table(content)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
