"""Train a stage's agent by reinforcement learning.

usage: kernelwright train [stage=frontend|midend] [key=value …]

In each step a policy answers some problems, evaluators judge the answers, and an adapter learns from their rewards.
Before the first step a canary checks that the policy has the trainer's weights. Each line of metrics.jsonl says how
far the two differ (`mismatch`, nats a token) and how long the step took: seconds/PHASE, and the idle shares
idle/policy, idle/learner and idle/evaluator.

With trainer.ahead=1 the policy draws a batch while the learner learns from the one before; its adapter is one step
older then (`lag`). With trainer.ahead=2 nobody waits for late verdicts either.

out=FOLDER gets `adapter`, `checkpoints`, `metrics.jsonl`, `tensorboard`, `canary.json` and, at the end or when
interrupted, `plot.svg` and `plot.png`. A run that was stopped goes on from its last checkpoint with the batch that
would have been next. Ctrl-C and SIGTERM write a checkpoint before the run ends; a second Ctrl-C ends it at once. The
last step's metrics go to stdout as JSON.

Several GPUs: device=cuda:1 policy.devices=0 puts learner and policy on one each. `torchrun --nproc-per-node 2 -m
kernelwright.driver.cli train …` splits the base model's layers (FSDP2) and each batch's rows over processes with a
GPU each. The first process asks the policy, judges, writes and reports. Its checkpoints serve any number of
processes.

configuration (defaults first; every group is a folder of conf/):
  stage=frontend|midend  policy=vllm|hf|smollm|openai|replay  policy.model=smollm|FOLDER|HUB-ID
  adapter=FOLDER|shipped:NAME   the adapter to start from; it brings its own rank, alpha and dropout
  reward=STAGE'S|composite|cost_model|joint|kevin|log_speedup|profiling
  algorithm=grpo|dr_grpo|dapo|bnpo|rloo|trloo|dr_kernel|kevin|gspo|cispo|raft  algorithm.kl=0.1  …
  problems=generated|held_out|examples|kernelbench  problems.count=1000  problems.difficulty=2  problems.place=FILE
  rollout.n=4  rollout.turns=1  rollout.temperature=1.0  rollout.max_tokens=2048  rollout.rungs=[parse,interpret]
  trainer=default|small  trainer.steps=100  trainer.problems=4  trainer.replay=0  trainer.lr=1e-6  trainer.ahead=0
  trainer.imitate=0  trainer.rehearsal=0  rollout.remember=0
  trainer.wandb=PROJECT   Weights & Biases gets each step's metrics as well
  pairs=FILE.jsonl  trainer.pairs=0   pairs that are imitated with each update, so that they are not forgotten
  recipe=two_stage|sft_grpo|dr_kernel|kevin|smollm    published recipes, as a whole
  canary.enabled=true  canary.scale=0.1  canary.ratio=3.0  canary.slack=0.01
  target=auto|…  evaluator=local|ray  device=auto|cpu|cuda|cuda:1  workers=N  readers=N  out=runs/train/STAGE  seed=0

  kernelwright train recipe=smollm adapter=shipped:frontend
  kernelwright train recipe=smollm adapter=shipped:midend stage=midend reward=log_speedup

Exit status: 0 done, 1 the run failed (its last checkpoint is good), 2 bad usage or input, 130 interrupted,
143 terminated.
"""

import json
import sys
from typing import TYPE_CHECKING

from kernelwright.driver.arguments import Arguments, Flag
from kernelwright.driver.paths import check_folder

if TYPE_CHECKING:  # Hydra is imported when all that needs no configuration is right
    from kernelwright.driver.train_settings import TrainSettings

FLAGS: tuple[Flag, ...] = ()
TAKES_PATH = False
ROOT = "train"
FOLDER = True


def check(arguments: Arguments) -> "TrainSettings":
    """What is asked for. Raises UserError for what cannot be done, without torch."""
    arguments.only_overrides("train", "stage=frontend")
    from kernelwright.driver.beginnings import check_problems, check_training
    from kernelwright.driver.train_settings import read_train_settings

    settings = read_train_settings(arguments.composed, arguments.root(ROOT))
    check_folder(settings.plain.out, "out=")
    check_training(settings.plain)
    check_problems(settings.plain.problems)
    return settings


def run(arguments: Arguments) -> int:
    """Train, or go on."""
    settings = check(arguments)

    from rich.console import Console  # late, as what follows: what is wrong with arguments is told without torch

    from kernelwright.driver.training import run_train

    metrics = run_train(settings, Console(stderr=True))
    if metrics:  # of several processes one tells
        sys.stdout.write(json.dumps(metrics) + "\n")
    return 0
