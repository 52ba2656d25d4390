"""Measure how often an agent answers right: base model and adapters, on held-out pairs and on KernelBench.

usage: agents.py OUT.json --pairs PAIRS.jsonl [--kernelbench FILE.jsonl] [--arm NAME=FORM[:ADAPTER][@N]]… [key=value …]

Each arm answers every problem once greedily, and `--n` times (or N times) at temperature 1. FORM is the form of its
prompt. A single attempt is one answer at temperature 1; its rate is the mean over problems. Problems come from the
split `test` of the pairs, and from one level of KernelBench with sizes made small. The rungs parse and interpret
judge the answers on the CPU. OUT.json.journal keeps every chunk: a run that was stopped goes on from there. Each
key=value overrides conf/policy, such as kind=vllm max_num_seqs=512.
"""

import argparse
import hashlib
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import torch

from benchmarks.agents.agents_summary import mean, summary, table
from benchmarks.row_lines import command_line, write_result
from kernelwright.agent.evaluator import Rung
from kernelwright.agent.policy import Policy, Sampling
from kernelwright.agent.rewards import make_reward
from kernelwright.agent.rollout import roll_out
from kernelwright.driver.config.policies import PolicyKind, PolicySettings, open_policy
from kernelwright.driver.config.settings import Device, EvaluatorSettings
from kernelwright.driver.run.build import open_pool
from kernelwright.driver.run.journal import Journal
from kernelwright.driver.training.run import judged_by, taking_turns
from kernelwright.evaluation.pools.pool import Pool, usable_cores
from kernelwright.frontend.agent import FORMS, FrontendAgent
from kernelwright.frontend.importers import import_source
from kernelwright.ir.errors import UserError, check_choice
from kernelwright.ir.parser import parse_module
from kernelwright.ir.values import KernelModule
from kernelwright.rl.data.problems import load_problems
from kernelwright.rl.data.rows import TEST, Pair, read_rows
from kernelwright.serve.adapters import adapter_folder

RUNGS = (Rung.PARSE, Rung.INTERPRET)
MODES = ("sampled", "greedy")


@dataclass(frozen=True)
class Arm:
    """What answers: the base model or an adapter on it, and how it is asked."""

    name: str
    form: str
    adapter: str
    n: int | None = None

    @classmethod
    def parse(cls, text: str) -> "Arm":
        name, _, rest = text.partition("=")
        rest, _, count = rest.partition("@")
        form, _, adapter = rest.partition(":")
        return cls(name, form, adapter, int(count) if count else None)


@dataclass(frozen=True)
class Task:
    """Some problems of a set, to be answered by an arm in a mode (greedy or sampled)."""

    arm: Arm
    mode: str
    suite: str
    problems: tuple[tuple[str, KernelModule], ...]


def row_id(arm: str, mode: str, suite: str, problem: str) -> str:
    """What a journal knows a row {arm, mode, suite, problem, statuses, tokens} by."""
    return "/".join((arm, mode, suite, problem))


def left(task: Task, journal: Journal) -> Task:
    """The task without what is done."""
    name = (task.arm.name, task.mode, task.suite)
    return replace(task, problems=tuple(one for one in task.problems if row_id(*name, one[0]) not in journal.results))


def generated(path: Path, limit: int | None) -> list[tuple[str, KernelModule]]:
    """The problems of the held-out pairs, as they were verified."""
    pairs = [pair for pair in read_rows(path, Pair) if pair.split == TEST]
    return [(pair.problem, parse_module(pair.before)) for pair in pairs][:limit]


def kernelbench(path: Path, level: int, limit: int | None) -> tuple[list[tuple[str, KernelModule]], list[str]]:
    """KernelBench's problems of a level at small sizes, and those that cannot be made small."""
    found, lost = [], []
    for problem in load_problems(path):
        if problem.provenance.get("level") != level or len(found) == limit:
            continue
        try:
            found.append((problem.id, import_source(problem.source, "module", shrink="always")))
        except UserError:
            lost.append(problem.id)
    return found, lost


def answered(task: Task, policy: Policy, pool: Pool, n: int, max_tokens: int, seed: int) -> list[dict[str, Any]]:
    """A row for each problem of a task."""
    greedy = task.mode == "greedy"
    made = roll_out(
        FrontendAgent("h100", make_reward("frontend"), task.arm.form),
        [module for _, module in task.problems],
        policy,
        judged_by(pool),
        n=1 if greedy else task.arm.n or n,
        sampling=Sampling(max_tokens=max_tokens, temperature=0.0 if greedy else 1.0, seed=seed),
        adapter=task.arm.name if task.arm.adapter else None,
        rungs=RUNGS,
    )
    turns = defaultdict(list)
    for one in made:
        turns[one.problem].append(one.turns[-1])
    return [
        {
            "arm": task.arm.name,
            "mode": task.mode,
            "suite": task.suite,
            "problem": name,
            "statuses": [str(turn.verdict.status) if turn.valid else "fault" for turn in turns[index]],
            "tokens": [len(turn.completion.token_ids) for turn in turns[index]],
        }
        for index, (name, _) in enumerate(task.problems)
    ]


def surroundings() -> dict[str, Any]:
    """The machine, and the versions of what figures hang on."""
    import importlib.metadata

    def version(name: str) -> str:
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            return ""

    gpu = torch.cuda.is_available()
    driver = Path("/proc/driver/nvidia/version")
    return {
        "device": torch.cuda.get_device_name() if gpu else "cpu",
        "driver": driver.read_text().split("\n")[0] if driver.is_file() else "",
        "versions": {name: version(name) for name in ("torch", "triton", "transformers", "peft", "vllm")},
        "python": sys.version.split()[0],
    }


def caliber(
    arms: Sequence[Arm], settings: PolicySettings, seconds: Mapping[str, float], lost: list[str]
) -> dict[str, Any]:
    """What the figures were obtained with."""
    return surroundings() | {
        "command": command_line(),
        "policy": {"kind": settings.kind.value, "model": settings.model},
        "arms": told_of(arms),
        "judged": "parse and interpret, on the CPU, at the sizes of the generated programs; KernelBench's are small",
        "kernelbench_not_shrunken": lost,
        "seconds": {name: round(value, 1) for name, value in seconds.items()},
    }


def told_of(arms: Sequence[Arm]) -> dict[str, dict[str, Any]]:
    """What answers follow from, arm by arm. Raises UserError for an adapter that is not there."""
    return {arm.name: {"form": arm.form, "n": arm.n, "adapter": arm.adapter, "sha256": _digest(arm)} for arm in arms}


def _digest(arm: Arm) -> str:
    return digest_of(adapter_folder(arm.adapter) / "adapter_model.safetensors", "--arm") if arm.adapter else ""


def digest_of(path: Path, flag: str) -> str:
    """Of a file's bytes; UserError, naming the flag that gave the path, where there is none."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise UserError(f"{flag} {path}: {error.strerror}; give another") from error


def read_arguments() -> tuple[argparse.Namespace, PolicySettings]:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--kernelbench", type=Path)
    parser.add_argument("--level", type=int, default=1)
    parser.add_argument("--arm", type=Arm.parse, action="append", required=True)
    parser.add_argument("--n", type=int, default=8)
    parser.add_argument("--k", type=int, default=8)
    parser.add_argument("--chunk", type=int, default=125, help="problems in one call of the policy")
    parser.add_argument("--limit", type=int, help="at most so many problems of each set")
    parser.add_argument("--max-tokens", type=int, default=768)
    parser.add_argument("--workers", type=int, default=usable_cores())
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--modes", default="sampled,greedy")
    parser.add_argument("policy", nargs="*", help="key=value that overrides conf/policy")
    given = parser.parse_intermixed_args()
    for mode in given.modes.split(","):
        check_choice("--modes", mode, MODES)
    for arm in given.arm:
        check_choice(f"--arm {arm.name}", arm.form, FORMS)
    return given, policy_settings(given.policy, given.arm)


def policy_settings(items: Sequence[str], arms: Sequence[Arm]) -> PolicySettings:
    """What key=value says of conf/policy, with the arms' adapters."""
    known = {field.name for field in fields(PolicySettings)}
    for item in items:
        if item.partition("=")[0] not in known or "=" not in item:
            raise UserError(f"{item!r}: give key=value, with a key of {', '.join(sorted(known))}")
    values: dict[str, Any] = {"kind": "vllm"} | dict(item.split("=", 1) for item in items)
    check_choice("kind", values["kind"], [kind.value for kind in PolicyKind])
    values["kind"] = PolicyKind(values["kind"])
    for key in ("max_model_len", "max_num_seqs", "max_rank"):
        if key in values:
            values[key] = int(values[key])
    if "gpu_memory_utilization" in values:
        values["gpu_memory_utilization"] = float(values["gpu_memory_utilization"])
    if "graph_sizes" in values:
        values["graph_sizes"] = [int(size) for size in values["graph_sizes"].split(",")]
    return PolicySettings(**values, adapters={arm.name: arm.adapter for arm in arms if arm.adapter})


def answer_all(
    tasks: Sequence[Task], journal: Journal, given: argparse.Namespace, settings: PolicySettings
) -> dict[str, float]:
    """Answer what the journal lacks, chunk by chunk; seconds until all is started, and then."""
    lock, began = threading.Lock(), time.monotonic()
    chunks = [
        replace(task, problems=task.problems[start : start + given.chunk])
        for task in (left(one, journal) for one in tasks)
        for start in range(0, len(task.problems), given.chunk)
    ]
    if not chunks:
        return {}
    with (
        open_pool(EvaluatorSettings(), "h100", given.workers, Device.cpu, hosted=True) as pool,
        open_policy(settings) as policy,
        ThreadPoolExecutor(2) as threads,  # one is answered while the other is judged
        taking_turns(),
    ):
        started = time.monotonic()

        def work(task: Task) -> None:
            start = time.monotonic()
            rows = answered(task, policy, pool, given.n, given.max_tokens, given.seed)
            with lock:
                for row in rows:
                    journal.add(row_id(row["arm"], row["mode"], row["suite"], row["problem"]), row)
            right = mean([status == "ok" for row in rows for status in row["statuses"]])
            told = f"{len(rows)} problems, {right:.3f} right, {time.monotonic() - start:.0f} s"
            sys.stderr.write(f"{task.arm.name} {task.mode} {task.suite}: {told}\n")

        list(threads.map(work, chunks))
    return {"start": started - began, "answers": time.monotonic() - started}


def main() -> int:
    """Answer, and sum up; 2 for bad arguments."""
    try:
        return run()
    except UserError as error:
        sys.stderr.write(f"{error}\n")
        return 2


def run() -> int:
    """The same; raises UserError for bad arguments."""
    given, settings = read_arguments()
    suites = {"generated": generated(given.pairs, given.limit)}
    lost: list[str] = []
    if given.kernelbench:
        suites[f"kernelbench-{given.level}"], lost = kernelbench(given.kernelbench, given.level, given.limit)
    tasks = [
        Task(arm, mode, suite, tuple(some))
        for arm in given.arm
        for mode in given.modes.split(",")
        for suite, some in suites.items()
    ]
    if not suites["generated"]:
        raise UserError(f"--pairs {given.pairs} holds none of the split {TEST}")
    made_with = {"model": settings.model, "arms": told_of(given.arm), "pairs": digest_of(given.pairs, "--pairs")}
    made_with |= {name: getattr(given, name) for name in ("n", "max_tokens", "seed")}
    with Journal(given.out.with_name(f"{given.out.name}.journal"), made_with) as journal:
        seconds = answer_all(tasks, journal, given, settings)
    order = [arm.name for arm in given.arm]
    rows = [{name: value for name, value in row.items() if name != "id"} for row in journal.results.values()]
    rows.sort(key=lambda row: (row["suite"], row["mode"], order.index(row["arm"]), row["problem"]))
    found = summary(rows, given.k)
    sampling = {name: getattr(given, name) for name in ("n", "k", "max_tokens", "seed")} | {"temperature": 1.0}
    content = {"caliber": caliber(given.arm, settings, seconds, lost), "sampling": sampling, **found}
    write_result(given.out, content)
    sys.stdout.write("\n".join(table(found)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
