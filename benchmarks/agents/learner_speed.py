"""Measure how fast the learner trains beside TRL's SFTTrainer: same base, LoRA, rows, batches, precision and device.

usage: learner_speed.py OUT.json --pairs PAIRS.jsonl [--rounds N] [--steps N] [--batch N] [--dtype float32|bfloat16]
       [--tf32] [--checkpointing] [--form FORM] [--budget N]

Figures are tokens a second of forward, backward and optimizer steps. Tokens of prompts and answers count; padding
does not. Our side takes steps of `kernelwright sft`. TRL gets the token ids of the same rows, learns the answers
alone too, and runs in each of these settings; its fastest one is the one to compare with:

  padding_free     a batch in one line, by FlashAttention 2 where that is installed and the precision is bfloat16, else
                   with a mask that keeps rows apart
  padded           a batch padded to its longest row
  group_by_length  the same, with rows dealt out anew to batches of like lengths

TRL's packing is left out, because a step of it has no fixed number of pairs. A batch is one pass for TRL, and as many
as --budget says for us. All sides run in one process. Each takes --steps steps to warm up, and as many in every
round; which side begins changes from round to round. Batching is counted, loading is not: TRL's seconds are its
train_runtime. A ratio is ours to TRL's within one round; the median has a 95% bootstrap interval over rounds. With
several GPUs, CUDA_VISIBLE_DEVICES has to show one. Exit status: 0; 1 where the sides count other tokens; 2 for bad
arguments or no trl.
"""

import argparse
import hashlib
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from benchmarks.agents.agents_summary import bootstrap, mean
from benchmarks.row_lines import command_line, write_result
from kernelwright.backend.reference.tf32 import permitted
from kernelwright.driver.campaigns.campaign import machine
from kernelwright.driver.config.train_settings import read_sft_settings
from kernelwright.driver.pairs.rows import read_pair_rows
from kernelwright.ir.errors import UserError
from kernelwright.rl.data.rows import Cursor
from kernelwright.rl.trainer.learner import DTYPES, Learner, LoraSettings, OptimizerSettings, open_model, open_tokenizer
from kernelwright.rl.trainer.packing import Example
from kernelwright.rl.trainer.sft import add_likelihood_gradients
from kernelwright.serve.base import SMOLLM, find_base
from kernelwright.serve.optional import require

OURS = "kernelwright"
#: What SFTConfig gets in each of TRL's settings.
TRL: Mapping[str, Mapping[str, Any]] = {
    "padding_free": {"padding_free": True, "train_sampling_strategy": "sequential"},
    "padded": {"train_sampling_strategy": "sequential"},
    "group_by_length": {"train_sampling_strategy": "group_by_length"},
}
LORA, OPTIMIZER = LoraSettings(rank=16, alpha=32), OptimizerSettings(lr=1e-4)
SEED = 0


@dataclass(frozen=True)
class Run:
    """Some steps: their seconds, the tokens that went through them, and the mean of their losses (nats)."""

    seconds: float
    tokens: int
    loss: float

    @property
    def rate(self) -> float:
        """Tokens per second."""
        return self.tokens / self.seconds


def run_ours(learner: Learner, batches: Sequence[Sequence[Example]]) -> Run:
    """A step for each batch."""
    began, losses = time.monotonic(), []
    for batch in batches:
        losses.append(add_likelihood_gradients(learner, batch))
        learner.update()
    if learner.device.type == "cuda":
        torch.cuda.synchronize()
    return Run(time.monotonic() - began, sum(len(row) for batch in batches for row in batch), mean(losses))


def run_trl(trainer: Any) -> Run:
    """A step for each batch of the trainer's rows."""
    before = trainer._total_train_tokens
    found = trainer.train().metrics
    # Else each call would put the model into one more autocast.
    trainer.accelerator.unwrap_model(trainer.model, keep_fp32_wrapper=False)
    return Run(found["train_runtime"], trainer._total_train_tokens - before, found["train_loss"])


def open_ours(given: argparse.Namespace) -> Learner:
    """The learner, as `kernelwright sft` opens it."""
    placed = {"device": place(), "dtype": given.dtype, "checkpointing": given.checkpointing}
    return Learner(*open_model(find_base(SMOLLM), LORA, seed=SEED, **placed), OPTIMIZER, given.budget)


def open_trl(setting: str, given: argparse.Namespace, rows: Sequence[Example], folder: str) -> Any:
    """TRL's trainer in one of its settings, which may write to a folder."""
    trl, transformers, datasets = (require(name, "dev") for name in ("trl", "transformers", "datasets"))
    columns = {
        "input_ids": [[*row.prompt, *row.response] for row in rows],
        "labels": [[-100] * len(row.prompt) + list(row.response) for row in rows],
    }
    config = trl.SFTConfig(
        output_dir=folder,
        max_length=None,
        per_device_train_batch_size=given.batch,
        max_steps=given.steps,
        learning_rate=OPTIMIZER.lr,
        lr_scheduler_type="constant",
        weight_decay=OPTIMIZER.weight_decay,
        max_grad_norm=OPTIMIZER.clip,
        bf16=given.dtype == "bfloat16",
        gradient_checkpointing=given.checkpointing,
        gradient_checkpointing_kwargs={"use_reentrant": False},
        use_cpu=place() == "cpu",
        logging_strategy="no",
        log_level="error",
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        seed=SEED,
        **TRL[setting],
    )
    base, dtype = find_base(SMOLLM), DTYPES[given.dtype]
    trainer = trl.SFTTrainer(
        transformers.AutoModelForCausalLM.from_pretrained(
            base, dtype=dtype, attn_implementation=attention(setting, given.dtype)
        ),
        config,
        train_dataset=datasets.Dataset.from_dict(columns),
        processing_class=open_tokenizer(base),
        peft_config=LORA.config(),
    )
    trainer.remove_callback(transformers.PrinterCallback)
    return trainer


def attention(setting: str, dtype: str) -> str:
    """What TRL's model computes attention by."""
    flash = require("transformers.utils", "dev").is_flash_attn_2_available()
    return "flash_attention_2" if flash and setting == "padding_free" and dtype == "bfloat16" else "sdpa"


def place() -> str:
    """The device: a GPU where there is one."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def measured(sides: Mapping[str, Callable[[], Run]], rounds: int) -> dict[str, list[Run]]:
    """The runs of each side, the first of them to warm up."""
    names, found = list(sides), {name: list[Run]() for name in sides}
    for number in range(rounds + 1):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            found[name].append(sides[name]())
            sys.stderr.write(f"round {number} of {rounds}: {name} {found[name][-1].rate:.0f} tokens/s\n")
    return found


def figures(runs: Mapping[str, Sequence[Run]]) -> dict[str, Any]:
    """Speeds, ratios with their intervals, and whether both sides did the same."""
    rates = {name: [run.rate for run in some[1:]] for name, some in runs.items()}
    medians = {name: statistics.median(some) for name, some in rates.items()}
    ratios = {name: [ours / trl for ours, trl in zip(rates[OURS], rates[name], strict=True)] for name in TRL}
    tokens = {name: [run.tokens for run in some] for name, some in runs.items()}
    return {
        "fastest_of_trl": max(TRL, key=lambda name: medians[name]),
        "ratio": {name: bootstrap(some, statistics.median) for name, some in ratios.items()},
        "tokens_per_s": medians,
        "tokens_agree": len({count for some in tokens.values() for count in some}) == 1,
        "loss_when_warming_up": {name: some[0].loss for name, some in runs.items()},
        "rounds": {"ratio": ratios, "tokens_per_s": rates, "tokens": tokens},
    }


def caliber(given: argparse.Namespace) -> dict[str, Any]:
    """What the figures were obtained with; files go by their names."""
    return machine() | {
        "device": torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu",
        "threads": torch.get_num_threads(),
        "versions": {name: version(name) for name in ("transformers", "peft", "trl", "accelerate")},
        "command": command_line(),
        "pairs_sha256": hashlib.sha256(given.pairs.read_bytes()).hexdigest(),
        "settings": {name: value for name, value in vars(given).items() if name not in ("out", "pairs")},
        "lora": asdict(LORA),
        "optimizer": asdict(OPTIMIZER),
        "trl": {name: {**TRL[name], "attention": attention(name, given.dtype)} for name in TRL},
    }


def read_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--steps", type=int, default=10, help="optimizer steps of a run")
    parser.add_argument("--batch", type=int, default=16, help="pairs in a step")
    parser.add_argument("--dtype", choices=tuple(DTYPES), default="float32", help="dtype of the base model")
    parser.add_argument("--tf32", action="store_true", help="products of float32 by tensor cores, on both sides")
    parser.add_argument("--checkpointing", action="store_true", help="recompute activations, on both sides")
    parser.add_argument("--form", default="kernels", help="form of the answers, like rollout.form")
    parser.add_argument("--budget", type=int, default=4096, help="tokens in one of our passes")
    given = parser.parse_args()
    if min(given.rounds, given.steps, given.batch, given.budget) < 1:
        parser.error("numbers are at least 1")
    return given


def run(given: argparse.Namespace) -> int:
    """Measure, and write the file. Raises UserError for what cannot be read, and without trl."""
    require("trl", "dev")
    rows = read_pair_rows(read_sft_settings([f"pairs={given.pairs}", f"rollout.form={given.form}"])).train
    if len(rows) < given.steps * given.batch:
        raise UserError(f"{given.pairs} has only {len(rows)} rows; give smaller --steps or --batch")
    batches = [Cursor(rows, given.batch, SEED).batch_of(step) for step in range(given.steps)]
    numerics = permitted("tf32" if given.tf32 else "ieee", deterministic=False)
    with numerics, tempfile.TemporaryDirectory() as folder:
        sides = {OURS: partial(run_ours, open_ours(given), batches)}
        for name in TRL:
            sides[name] = partial(run_trl, open_trl(name, given, [row for batch in batches for row in batch], folder))
        found = figures(measured(sides, given.rounds))
    write_result(given.out, {"caliber": caliber(given), **found})
    speeds = found["tokens_per_s"]
    for name, (value, low, high) in found["ratio"].items():
        told = f"{value:.3f} [{low:.3f}, {high:.3f}]  {speeds[OURS]:.0f} and {speeds[name]:.0f} tokens/s"
        print(f"ours / TRL {name:16}{told}")
    print(f"tokens agree: {found['tokens_agree']}")
    return int(not found["tokens_agree"])


def main() -> int:
    """The same; 2 where it raises UserError."""
    try:
        return run(read_arguments())
    except UserError as error:
        sys.stderr.write(f"{error}\n")
        return 2


if __name__ == "__main__":
    sys.exit(main())
