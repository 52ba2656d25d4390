"""Measure how much faster mid-end agents make modules by choosing passes, beside search with as many evaluations.

usage: midend_agents.py OUT.json --modules PAIRS.jsonl [--arm NAME=FORM[:ADAPTER]]… [--n 8] [key=value …]

Each arm proposes `--n` choices of passes for each module of the pairs' split `test`, at temperature 1. Three more
arms are always there: `random` (choices drawn blindly), `search` (rewrites, then launch options on the best, by
measured times, n modules measured), and `pairs` (the choice of the pair, found by the cost model; left out for pairs
made with answers=false). Every distinct module is timed once. On a GPU that is with cold caches, and its outputs are
compared with the given module's on one draw of inputs. Without a GPU the cost model estimates, and nothing is
compared. Each key=value overrides conf/policy, such as kind=vllm max_num_seqs=512.

OUT.json.journal keeps answers and times: a run that was stopped, or that `--seconds` ended, goes on from there. Times
hold for a device and a version of the code, and are taken again on another. Answers are never asked for again, and a
run that has them all needs no model. So `--seconds 0` asks on a machine with the model; the pairs and the journal are
carried to a machine with a GPU, and the same command without it takes the times there.

A single attempt is one choice; an illegal or failing one keeps the given module, at speedup 1. The best of n is the
fastest that does not fail, or the given module. Figures are geometric means over modules (a single attempt counts by
the geometric mean of its choices), intervals are 95% by bootstrap over modules, and differences are quotients on the
same modules.
"""

import argparse
import math
import queue
import sys
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import torch

from benchmarks.agents import agents
from benchmarks.agents.agents import Arm
from benchmarks.agents.midend_agents_summary import SEARCH, summary, table
from benchmarks.caliber import add_commit, head
from benchmarks.row_lines import code_digest, write_result
from kernelwright.agent.policy import Sampling
from kernelwright.agent.reading import fenced, last_block
from kernelwright.agent.rewards import make_reward
from kernelwright.backend.cost.model import estimate
from kernelwright.backend.measure.bench import WHOLE, measure, open_bench
from kernelwright.backend.measure.children import OFF_GPU, Child, Outcome
from kernelwright.backend.targets import get_target
from kernelwright.backend.tuning.trials import prepare_trial
from kernelwright.driver.config.discovery import discover
from kernelwright.driver.config.policies import PolicySettings, open_policy
from kernelwright.driver.run.build import resolve_target
from kernelwright.driver.run.journal import Journal
from kernelwright.evaluation.pools.pool import usable_cores
from kernelwright.ir.errors import UserError
from kernelwright.ir.parser import parse_module
from kernelwright.ir.values import KernelModule
from kernelwright.ir.verifier import launched
from kernelwright.midend.agent import MidendAgent
from kernelwright.midend.search.choice_search import ChoiceSearch, drawn_choice
from kernelwright.midend.search.choices import run_choice
from kernelwright.rl.data.rows import MIDEND, TEST, Pair, read_rows

#: How times were had: on a GPU, and elsewhere.
MEASURED = "timed on the GPU, caches cold; outputs compared with the given module's on one draw of inputs"
MODELLED = "by the cost model, not verified"
#: Seconds that one task may take, and how many times the usual number of timed runs are taken.
SECONDS, RUNS = 60.0, 1.0
RANDOM, PAIRS = "random", "pairs"


@dataclass
class Bench:
    """A process that runs choices of passes and times what they make, one given module after another.

    On a GPU outputs are compared with the given module's on one draw of inputs, and the caches are cold. Elsewhere
    times are the cost model's, and nothing is compared. Each distinct module is timed once.
    """

    child: Child
    target: str
    on_gpu: bool
    _given: KernelModule | None = None
    _known: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def opened(cls, target: str, on_gpu: bool) -> "Bench":
        """A new one; it starts in the background."""
        return cls(Child((), {"OMP_NUM_THREADS": "1"} if on_gpu else OFF_GPU), target, on_gpu)

    def begin(self, given: KernelModule) -> dict[str, Any]:
        """Take another given module; its own status and microseconds."""
        self._given = given
        self._known.clear()
        self._ready()
        return self.timed(given)

    def _ready(self) -> str:
        """Set up the process, which may be a new one; "" or what failed."""
        self.child.do((discover, ()), SECONDS)
        if not self.on_gpu:
            return ""
        assert self._given is not None
        self._compiled(self._given)
        return self.child.do((open_bench, (self._given, 0, "cuda")), SECONDS).failure

    def timed(self, module: KernelModule) -> dict[str, Any]:
        """Status and microseconds (None where there are none)."""
        if module.digest not in self._known:
            self._known[module.digest] = self._taken(module)
        return self._known[module.digest]

    def _taken(self, module: KernelModule) -> dict[str, Any]:
        if self.on_gpu:
            found = self._compiled(module)
            if not found.failure:
                found = self.child.do((measure, (module, (WHOLE,), math.inf, RUNS)), SECONDS)
            us = None if found.failure else float(found.value[0])
        else:
            found = self.child.do((estimate, (module, get_target(self.target))), SECONDS)
            us = None if found.failure else float(found.value.us)
        if found.lost:
            self._ready()
        good = us is not None and math.isfinite(us)
        return {"status": "ok", "us": us} if good else {"status": "failed", "us": None, "cause": found.failure[:200]}

    def _compiled(self, module: KernelModule) -> Outcome:
        """Kernels go into Triton's cache before the process has a turn on the GPU, which others wait for."""
        found = Outcome()
        for symbol in launched(module):
            found = self.child.do((prepare_trial, (module, symbol, self.target)), SECONDS)
            if found.failure or not found.value:
                return replace(found, failure=found.failure or f"@{symbol} would leave its tensors")
        return found

    def attempt(self, text: str) -> dict[str, Any]:
        """What becomes of one answer."""
        choice = last_block(text)
        if not isinstance(choice, str):
            return {"status": "illegal", "us": None, "cause": str(choice[0])[:200]}
        found = self.child.do((run_choice, (choice.strip(), self._given, self.target)), SECONDS)
        if found.lost:
            self._ready()
        if not isinstance(found.value, KernelModule):
            return {"status": "illegal", "us": None, "cause": (found.failure or str(found.value[0]))[:200]}
        return {"spec": choice.strip(), **self.timed(found.value)}

    def searched(self, n: int) -> list[dict[str, Any]]:
        """The search's evaluations: n modules, each next one by the times so far."""
        assert self._given is not None
        tried: list[dict[str, Any]] = []

        def score(one: KernelModule) -> float:
            found = self.timed(one)
            tried.append(found)
            return math.inf if found["us"] is None else float(found["us"])

        ChoiceSearch(self._given, score, self.target, n).best()
        return tried[1:]  # the first is the given module


def read_modules(path: Path, limit: int | None) -> dict[str, tuple[KernelModule, str]]:
    """The held-out modules by the ids of their pairs, each once, with the choices that answer them, if any do."""
    found: dict[str, tuple[KernelModule, str]] = {}
    seen: set[str] = set()
    for pair in read_rows(path, Pair):
        if pair.stage != MIDEND or pair.split != TEST or pair.has_program:
            continue
        module = parse_module(pair.before)
        if module.digest not in seen:
            seen.add(module.digest)
            found[pair.id] = module, pair.after
    if not found:
        raise UserError(f"{path} holds no module of the split {TEST} to choose passes for")
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
    machine = {key: value for key, value in agents.surroundings().items() if key in ("device", "versions", "python")}
    places = {name: place for place, name in enumerate(modules)}
    with open_policy(settings) as policy:
        for arm, names in wanted.items():
            began = time.monotonic()
            agent = MidendAgent(given.target, make_reward("frontend"), "pipeline", form=arm.form)
            sampling = Sampling(n=arm.n or given.n, max_tokens=given.max_tokens)
            for start in range(0, len(names), given.chunk):
                some = names[start : start + given.chunk]
                prompts = [agent.render(modules[name][0]) for name in some]
                seeded = replace(sampling, seed=given.seed + places[some[0]])  # no two calls draw alike
                answers = policy.sample(prompts, seeded, arm.name if arm.adapter else None)
                for name, texts in zip(some, answers, strict=True):
                    journal.add(f"answers/{arm.name}/{name}", {"texts": [one.text for one in texts], "on": machine})
            sys.stderr.write(f"{arm.name}: {len(names)} modules answered in {time.monotonic() - began:.0f} s\n")


def rows_of(
    arms: Sequence[Arm],
    modules: Mapping[str, tuple[KernelModule, str]],
    journal: Journal,
    given: argparse.Namespace,
    code: str,
) -> dict[str, list[dict[str, Any]]]:
    """What every arm's choices came to, by the module's name: no rows for one that cannot be timed as it is. Modules
    that `--seconds` leaves no time for are left out."""
    on_gpu, lock, until = torch.cuda.is_available(), threading.Lock(), time.monotonic() + given.seconds
    where = f"rows/{torch.cuda.get_device_name() if on_gpu else 'cost model'}/{code}"
    benches = queue.SimpleQueue[Bench]()
    answers = {
        name: {arm.name: journal.results[f"answers/{arm.name}/{name}"]["texts"] for arm in arms} for name in modules
    }

    def work(name: str) -> None:
        if time.monotonic() >= until:
            return
        bench = benches.get()
        try:
            found = _rows(bench, name, modules[name], answers[name], given)
        finally:
            benches.put(bench)
        with lock:
            journal.add(f"{where}/{name}", {"rows": found})

    left = [name for name in modules if f"{where}/{name}" not in journal.results] if given.seconds > 0 else []
    with ExitStack() as stack:
        for _ in range(min(given.workers, len(left))):
            bench = Bench.opened(given.target, on_gpu)
            stack.callback(bench.child.close)
            benches.put(bench)
        threads = stack.enter_context(ThreadPoolExecutor(given.workers))
        list(threads.map(work, left))
    return {name: journal.results[key]["rows"] for name in modules if (key := f"{where}/{name}") in journal.results}


def _rows(
    bench: Bench,
    name: str,
    module: tuple[KernelModule, str],
    answers: Mapping[str, list[str]],
    given: argparse.Namespace,
) -> list[dict[str, Any]]:
    """One module's rows; none where it has no time."""
    before = bench.begin(module[0])
    if before["us"] is None:
        return []
    drawn = [drawn_choice(Random(f"{given.seed}/{name}/{index}")) for index in range(given.n)]
    texts = {**answers, RANDOM: [fenced(spec, "") for spec in drawn]}
    if module[1]:
        texts[PAIRS] = [fenced(module[1], "")]
    attempts = {arm: [bench.attempt(text) for text in some] for arm, some in texts.items()}
    attempts[SEARCH] = bench.searched(given.n)
    return [
        {
            "arm": arm,
            "module": name,
            "given_us": round(before["us"], 3),
            "statuses": [one["status"] for one in found],
            "us": [one["us"] and round(one["us"], 3) for one in found],
            "specs": [one.get("spec", "") for one in found],
        }
        for arm, found in attempts.items()
    ]


def read_arguments() -> tuple[argparse.Namespace, PolicySettings]:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--modules", type=Path, required=True)
    parser.add_argument("--arm", type=Arm.parse, action="append", default=[])
    parser.add_argument("--n", type=int, default=8)
    parser.add_argument("--chunk", type=int, default=150, help="modules in one call of the policy")
    parser.add_argument("--limit", type=int, help="at most so many modules")
    parser.add_argument("--max-tokens", type=int, default=96)
    parser.add_argument("--workers", type=int, default=usable_cores())
    parser.add_argument("--target", default="auto")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no more modules after so many seconds")
    add_commit(parser)
    parser.add_argument("policy", nargs="*", help="key=value that overrides conf/policy")
    given = parser.parse_intermixed_args()
    given.target = resolve_target(given.target)
    return given, agents.policy_settings(given.policy, given.arm)


def run(given: argparse.Namespace, settings: PolicySettings) -> dict[str, Any]:
    """The whole content of the result."""
    discover()
    modules = read_modules(given.modules, given.limit)
    on_gpu, seconds, began = torch.cuda.is_available(), dict[str, float](), time.monotonic()
    made_with = {"model": settings.model, "target": given.target, "arms": agents.told_of(given.arm)}
    made_with |= {"modules": agents.digest_of(given.modules, "--modules")}
    made_with |= {name: getattr(given, name) for name in ("n", "max_tokens", "seed")}
    code = code_digest("ir", "midend", "backend")
    with Journal(given.out.with_name(f"{given.out.name}.journal"), made_with) as journal:
        answers_of(given, settings, modules, journal)
        seconds["answers"], began = time.monotonic() - began, time.monotonic()
        found = rows_of(given.arm, modules, journal, given, code)
        answered = {arm.name: answered_on(arm, modules, journal) for arm in given.arm}
    seconds["times"] = time.monotonic() - began
    if not found:
        raise UserError(f"the answers are in {given.out}.journal, and --seconds left no time for a module; give more")
    caliber = agents.caliber(given.arm, settings, seconds, []) | {
        "answered_on": answered,
        "judged": MEASURED if on_gpu else MODELLED,
        "target": given.target,
        "commit": given.commit or head(),
        "code": code,
        "modules_without_a_time": sum(not rows for rows in found.values()),
        "modules_left": len(modules) - len(found),
    }
    del caliber["kernelbench_not_shrunken"]
    rows = [row for some in found.values() for row in some]
    sampling = {name: getattr(given, name) for name in ("n", "max_tokens", "seed")} | {"temperature": 1.0}
    return {"caliber": caliber, "sampling": sampling, **summary(rows, given.n), "attempts": rows}


def answered_on(arm: Arm, modules: Iterable[str], journal: Journal) -> list[dict[str, Any]]:
    """The machines that an arm answered on, each once."""
    found = [journal.results[f"answers/{arm.name}/{name}"]["on"] for name in modules]
    return [one for place, one in enumerate(found) if one not in found[:place]]


def main() -> int:
    """Ask, measure, and sum up; 2 for bad arguments."""
    try:
        given, settings = read_arguments()
        content = run(given, settings)
    except UserError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    write_result(given.out, content)
    sys.stdout.write("\n".join(table(content)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
