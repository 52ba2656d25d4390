"""Measure a policy on a suite of problems: pass@k, fast_p, and the causes of wrong answers.

usage: kernelwright bench policy=NAME [suite=kernelbench|jsonl:FILE] [n=4] [turns=1] [--json] [key=value …]

The policy answers each problem n times, in up to as many turns as `turns` says, and evaluators judge the answers.
pass@k is the chance that one of k answers is right. fast_p is the share of answers that are right and more than p times
as fast as eager PyTorch. With several turns, curves show the best answer so far, by turn and by number of answers.
Without a GPU nothing is timed, and fast_p is not shown. Wrong answers are counted by status and first diagnostic. A
problem that cannot be read, or whose prompt is too long, counts as wrong and is named.

out=FOLDER gets table.jsonl, a line for each problem; summary_bench.json, everything that the table shows; run.json,
the versions, the commit and the configuration; and set_aside.jsonl. The same command resumes a stopped run.

configuration (defaults first):
  suite=kernelbench|jsonl:FILE|FOLDER|hub:OWNER/NAME  levels=[1,2]  split=null|train|test  limit=N
  n=4  turns=1  rounds=0  memory=4   rounds: further answers after the turns; prompts show the `memory` best answers
  sweep=sft_grpo    all settings of a published measurement: suite, split, sampling; also give policy=…
  rollout.temperature=1.0  rollout.max_tokens=2048  rollout.history=full|last|summary
  rollout.form=POLICY'S  rollout.rungs=null|[parse,interpret]   null: all that the machine supports, times included
  policy=smollm|hf|vllm|openai|replay  policy.model=…  policy.adapters.frontend=FOLDER
  stage=frontend|midend  start=lower-inductor   mid-end: the pipeline that makes the module to speed up
  target=auto|…  evaluator=local|ray  import.shrink=auto|never|always  workers=N  batch=16  seed=0
  --json        the summary as JSON instead of a table

  kernelwright bench policy=smollm suite=jsonl:problems.jsonl n=4

Exit status: 0 done, 1 the policy failed, 2 bad usage or input, 130 interrupted, 143 terminated.
"""

import json
import sys
from typing import TYPE_CHECKING

from kernelwright.driver.config.arguments import Arguments, Flag
from kernelwright.driver.config.run_folders import BENCH, check_run_folder

if TYPE_CHECKING:  # Hydra is imported when all that needs no configuration is right
    from kernelwright.driver.benchmarking.settings import BenchSchema, BenchSettings

FLAGS = (Flag("--json"),)
TAKES_PATH = False
ROOT = "bench"
FOLDER = True


def check(arguments: Arguments) -> "BenchSettings[BenchSchema]":
    """What is asked for. Raises UserError for what cannot be done, without torch."""
    arguments.only_overrides("bench", "policy=smollm suite=kernelbench")
    from kernelwright.driver.benchmarking.settings import read_bench_settings

    settings = read_bench_settings(arguments.composed, arguments.root(ROOT))
    from kernelwright.driver.config.beginnings import check_answering, check_packages, check_places

    check_run_folder(settings.plain.out, BENCH)
    check_packages(settings.plain.policy)
    check_places([str(settings.plain.problems.place)], "suite=")
    check_answering(settings.plain.policy)
    return settings


def run(arguments: Arguments) -> int:
    """Measure, and print what was found."""
    settings = check(arguments)
    from rich.console import Console  # late, as what follows: what is wrong with arguments is told without torch

    from kernelwright.driver.benchmarking.bench import run_bench
    from kernelwright.driver.benchmarking.table import print_bench

    summary = run_bench(settings, Console(stderr=True))
    if "--json" in arguments.flags:
        sys.stdout.write(json.dumps(summary, indent=1) + "\n")
    else:
        shown = Console()
        print_bench(summary, shown if shown.is_terminal else Console(width=120))
    return 0
