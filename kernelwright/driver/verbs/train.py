"""Train a stage's agent by reinforcement learning.

usage: kernelwright train [stage=frontend|midend] [key=value …]

In each step a policy answers some problems, evaluators judge the answers, and an adapter learns from their rewards.
Before the first step a canary checks that the policy has the trainer's weights. Each line of metrics.jsonl gives the
difference between policy and trainer (`mismatch`, nats per token), the duration of each phase (seconds/PHASE), and the
idle shares idle/policy, idle/learner and idle/evaluator.

With trainer.ahead=1 the policy draws a batch while the learner works on the previous batch; the policy's adapter is
then one step old (`lag`). With trainer.ahead=2 the learner also goes on without late verdicts.

out=FOLDER gets `adapter`, `checkpoints`, `metrics.jsonl`, `trajectories.jsonl`, `held_out.jsonl`, `set_aside.jsonl`,
`run.json` (versions, commit, configuration), `tensorboard` and `canary.json`. At the end, or after an
interrupt, it also gets `plot.svg` and `plot.png`. The same command resumes a stopped run from its last checkpoint, with
the next batch. Ctrl-C and SIGTERM write a checkpoint before the run ends; a second Ctrl-C ends it at once. The last
step's metrics go to stdout as JSON.

Several GPUs: device=cuda:1 policy.devices=0 puts the learner and the policy on different GPUs. `torchrun
--nproc-per-node 2 -m kernelwright.driver.cli train …` splits the base model's layers (FSDP2) and each batch's rows
over processes with one GPU each. The first process asks the policy, judges, writes and reports. A checkpoint works
with any number of processes.

configuration (defaults first; every group is a folder of conf/):
  stage=frontend|midend  policy=vllm|hf|smollm|openai|replay  policy.model=smollm|FOLDER|HUB-ID
  adapter=FOLDER|shipped:NAME   the adapter to start from; it brings its own rank, alpha and dropout
  reward=STAGE|composite|cost_model|joint|kevin|log_speedup|profiling
  algorithm=grpo|dr_grpo|dapo|bnpo|rloo|trloo|dr_kernel|kevin|gspo|cispo|raft  algorithm.kl=0.1  …
  problems=generated|held_out|examples|kernelbench  problems.count=1000  problems.difficulty=2  problems.place=FILE
  rollout.n=4  rollout.turns=1  rollout.temperature=1.0  rollout.max_tokens=2048  rollout.rungs=null|[parse,interpret]
  trainer=default|small  trainer.steps=100  trainer.problems=4  trainer.replay=0  trainer.lr=1e-6  trainer.ahead=0
  trainer.imitate=0  trainer.rehearsal=0  rollout.remember=0
  held_out.every=0  held_out.count=32  held_out.place=FILE   answer held-out problems every so many steps; 0: never
  trainer.trajectories=4   trajectories of each step that go to trajectories.jsonl
  trainer.wandb=PROJECT   Weights & Biases gets each step's metrics as well
  pairs=FILE.jsonl  trainer.pairs=0   pairs to imitate in each update, so that the model forgets less
  recipe=two_stage|sft_grpo|dr_kernel|kevin|smollm    all keys of a published recipe
  canary.enabled=true  canary.scale=0.1  canary.ratio=3.0  canary.slack=0.01
  target=auto|…  evaluator=local|ray  device=auto|cpu|cuda|cuda:1  workers=N  readers=N  out=runs/train/STAGE  seed=0

  kernelwright train recipe=smollm adapter=shipped:frontend
  kernelwright train recipe=smollm adapter=shipped:midend stage=midend reward=log_speedup

Exit status: 0 done, 1 the run failed (its last checkpoint is good), 2 bad usage or input, 130 interrupted,
143 terminated.
"""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from kernelwright.driver.config.arguments import Arguments, Flag
from kernelwright.driver.config.run_folders import TRAIN, check_run_folder

if TYPE_CHECKING:  # Hydra is imported when all that needs no configuration is right
    from kernelwright.driver.config.train_settings import TrainSettings

FLAGS: tuple[Flag, ...] = ()
TAKES_PATH = False
ROOT = "train"
FOLDER = True


def check(arguments: Arguments) -> "TrainSettings":
    """What is asked for. Raises UserError for what cannot be done, without torch."""
    arguments.only_overrides("train", "stage=frontend")
    from kernelwright.driver.config.train_settings import read_train_settings

    settings = read_train_settings(arguments.composed, arguments.root(ROOT))
    from kernelwright.agent.rewards import needs_of
    from kernelwright.driver.config.beginnings import (
        check_models,
        check_packages,
        check_places,
        check_problems,
        check_training,
    )
    from kernelwright.driver.run.training_folder import check_begun
    from kernelwright.driver.training.reward_needs import check_judge

    check_begun(Path(settings.plain.out), Path(f"runs/train/{settings.plain.stage.name}"))
    check_run_folder(settings.plain.out, TRAIN)
    check_training(settings.plain)
    check_packages(settings.plain.policy)
    check_problems(settings.plain.problems)
    if settings.plain.held_out.every and settings.plain.held_out.place:
        check_places([settings.plain.held_out.place], "held_out.place=")
    check_judge(needs_of(settings.make_reward()), settings)
    check_models(settings.plain)
    return settings


def run(arguments: Arguments) -> int:
    """Train, or go on."""
    settings = check(arguments)

    from rich.console import Console  # late, as what follows: what is wrong with arguments is told without torch

    from kernelwright.driver.run.activity import sayer
    from kernelwright.driver.run.finished import finished_train

    console = Console(stderr=True)
    metrics = finished_train(settings, sayer(console))
    if metrics is None:
        from kernelwright.driver.training.run import run_train

        metrics = run_train(settings, console)
    if metrics:  # of several processes one tells
        sys.stdout.write(json.dumps(metrics) + "\n")
    return 0
