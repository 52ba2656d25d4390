"""Train a stage's agent on pairs.

usage: kernelwright sft pairs=FILE.jsonl [key=value …]

The adapter learns the answers of `kernelwright data pairs`, with the same prompts as the agent. The pairs of the split
`test` measure the adapter. out=FOLDER gets `adapter`, `checkpoints`, `metrics.jsonl` and `tensorboard`. At the end, or
after an interrupt, it also gets `plot.svg` and `plot.png`. The same command resumes a stopped run from its last
checkpoint. Ctrl-C and SIGTERM write a checkpoint before the run ends; a second Ctrl-C ends it at once. The last step's
metrics go to stdout as JSON.

`torchrun --nproc-per-node 2 -m kernelwright.driver.cli sft …` shares the work between processes with one GPU each. A
checkpoint works with any number of processes.

configuration (defaults first):
  stage=frontend|midend  pairs=FILE.jsonl  model=smollm|FOLDER|HUB-ID  adapter=FOLDER
  out=runs/sft/STAGE  device=auto|cpu|cuda|cuda:1  epochs=1  batch=16  max_tokens=4096  seed=0
  trainer=default|small  trainer.lr=1e-6  trainer.rank=16  trainer.schedule=constant|cosine  trainer.save_every=1
  trainer.wandb=PROJECT             Weights & Biases gets each step's metrics as well
  warm_start=sft_grpo|dr_kernel     the supervised step of a published recipe, as a whole
  rollout.form=native|kernels (frontend), native|brief (midend)
  rollout.action=program|pipeline   whether answers are programs or choices of passes
  target=h100           the target that prompts name

  kernelwright sft pairs=pairs.jsonl trainer=small trainer.lr=1e-3 epochs=12

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
    from kernelwright.driver.config.train_settings import SftSchema

FLAGS: tuple[Flag, ...] = ()
TAKES_PATH = False
ROOT = "sft"
FOLDER = True


def check(arguments: Arguments) -> "SftSchema":
    """What is asked for. Raises UserError for what cannot be done, without torch."""
    arguments.only_overrides("sft", "pairs=FILE.jsonl")
    from kernelwright.driver.config.train_settings import read_sft_settings

    settings = read_sft_settings(arguments.composed, arguments.root(ROOT))
    from kernelwright.driver.config.beginnings import check_model, check_training
    from kernelwright.driver.run.training_folder import check_begun

    check_begun(Path(settings.out), Path(f"runs/sft/{settings.stage.name}"))
    check_run_folder(settings.out, TRAIN)
    check_training(settings)
    check_model(settings.model, "model=")
    return settings


def run(arguments: Arguments) -> int:
    """Train, or go on."""
    settings = check(arguments)

    from rich.console import Console  # late, as what follows: what is wrong with arguments is told without torch

    from kernelwright.driver.run.activity import sayer
    from kernelwright.driver.run.finished import finished_sft

    console = Console(stderr=True)
    metrics = finished_sft(settings, sayer(console))
    if metrics is None:
        from kernelwright.driver.training.run import run_sft

        metrics = run_sft(settings, console)
    if metrics:  # of several processes one tells
        sys.stdout.write(json.dumps(metrics) + "\n")
    return 0
