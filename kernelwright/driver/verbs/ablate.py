"""Compare pipelines, or ways to train: every arm on the same problems with the same seeds.

usage: kernelwright ablate [experiment=stages|rewards|timed_rewards|algorithms] [key=value …] [--json]

An experiment is a set of arms. The arms of `stages` are one agent for everything, the stages added one by one, passes
without agents, and agents without passes. `algorithms` and `rewards` train an adapter for each arm and seed, and then
measure it on held-out problems. `timed_rewards` does the same with rewards for speed, and needs a GPU.

A table goes to stdout. For each arm it has the share of verified programs, the geometric mean of speedups (on a GPU
measured over eager PyTorch, else estimated over `baseline`), and paired differences from the first arm. The 95%
intervals come from resampling problems and seeds. out=FOLDER gets summary.json, and table.jsonl with a row for each
arm, seed and problem. Each row is saved at once, and the same command resumes a run that was stopped or killed.

flags:
  --json   print summary.json instead of the table

configuration (defaults first):
  experiment=stages|…
  only=[ARM,…]          run these arms alone; the table compares the first of them with the others
  arms.NAME.pipeline='PASSES'   arms.NAME.without=[PASS,…]   arms.NAME.train=[KEY=VALUE,…]
  arms.NAME.policy.KEY=VALUE   for arms that do not train
  pipeline='PASSES'     for arms without a pipeline
  problems=held_out|examples|generated|kernelbench   problems.place=FILE|FOLDER|hub:OWNER/NAME
                        problems.split=test|train|null   problems.count=12   problems.difficulty=0   limit=N
  seeds=[0]|[0,1,2]|…
  policy=smollm|none|hf|vllm|openai|replay   (experiments use smollm)
  policy.model=…   policy.adapters.STAGE=FOLDER
  answers=2  joint_answers=4  max_tokens=512  action=pipeline|program  midend_tokens=64   for agents in `stages`
  train.KEY=VALUE       for arms that train: the keys of `kernelwright train`
  target=auto|…  evaluator.seeds=3  import.shrink=auto|never|always  baseline=lower-inductor
  jobs=N  timeout_s=600  out=runs/ablate/EXPERIMENT

  kernelwright ablate experiment=stages policy=hf
  kernelwright ablate policy=vllm problems.place=kernelbench.jsonl arms.mine.pipeline='fe-agent{n=16},tune' seeds=[0,1]
  kernelwright ablate experiment=algorithms train.trainer.steps=60 train.adapter=runs/sft/frontend/adapter

Exit status: 0 done, 1 the policy or a training run failed (rows are kept), 2 bad usage or input, 130 interrupted,
143 terminated.
"""

import json
import sys
from typing import TYPE_CHECKING, Any

from kernelwright.driver.config.arguments import Arguments, Flag
from kernelwright.driver.config.run_folders import ABLATE, check_run_folder

if TYPE_CHECKING:  # Hydra is imported when all that needs no configuration is right
    from kernelwright.driver.ablation.settings import AblateSettings

FLAGS = (Flag("--json"),)
TAKES_PATH = False
ROOT = "ablate"
FOLDER = True


def check(arguments: Arguments) -> "AblateSettings":
    """What is asked for. Raises UserError for what cannot be done, without torch."""
    arguments.only_overrides("ablate", "experiment=stages")
    from kernelwright.driver.ablation.settings import read_ablate_settings

    settings = read_ablate_settings(arguments.composed, arguments.root(ROOT))
    from kernelwright.driver.config.beginnings import (
        check_answering,
        check_models,
        check_packages,
        check_problems,
        check_training,
    )

    check_run_folder(settings.out, ABLATE)
    check_problems(settings.problems)
    for arm in settings.arms:
        check_packages(arm.policy)
        for training in list(arm.training.values())[:1]:  # seeds alone differ
            check_training(training.plain, f"arm {arm.name}: ")
            check_problems(training.plain.problems, f"arm {arm.name}: ")
    for arm in settings.arms:
        check_answering(arm.policy, f"arm {arm.name}: policy.")
        for training in list(arm.training.values())[:1]:
            check_models(training.plain, f"arm {arm.name}: ")
    return settings


def run(arguments: Arguments) -> int:
    """Make the rows, print what they say; also of a run that is stopped."""
    settings = check(arguments)

    from rich.console import Console  # late, as what follows: what is wrong with arguments is told without torch

    from kernelwright.driver.ablation.ablation import Ablation
    from kernelwright.driver.ablation.table import print_arms

    def report(summary: dict[str, Any]) -> None:
        if "--json" in arguments.flags:
            sys.stdout.write(json.dumps(summary, indent=1) + "\n")
        else:
            shown = Console()
            print_arms(summary, shown if shown.is_terminal else Console(width=120))

    Ablation(settings).run(Console(stderr=True), report)
    return 0
