"""Compare training on two GPUs with training on one: the same losses, and the seconds of a step.

usage: two_gpus.py OUT.json --pairs PAIRS.jsonl --problems PAIRS.jsonl [--adapter FOLDER]

SmolLM2 in fp32 is trained on pairs and by reinforcement: on one GPU, over both (FSDP2 under torchrun), and with the
policy on one GPU and the learner on the other. The first run by reinforcement records its answers, and the other runs
get the same answers, so losses are of the same tokens. With the GPUs apart, answers are drawn as well, for their
seconds. The command fails where losses, gradient norms or entropies differ from those of one GPU by more than
TOLERANCE. Without GPUs everything runs on the CPU, in one and in two processes. A run that OUT has is not done again;
a run that was stopped begins anew, because it may draw other answers.
"""

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from benchmarks.row_lines import command_line, write_result
from kernelwright.driver.campaigns.campaign import machine
from kernelwright.rl.trainer.run_log import read_metrics

#: How far figures of a step may lie apart, relative to the greatest of the run: fp32 sums in another order.
TOLERANCE = 2e-3
COMPARED = ("loss", "grad_norm", "entropy")
#: Runs that take the same steps -> those on one GPU.
SAME = {"sft/both": "sft/one", "rl/apart, replayed": "rl/one", "rl/both": "rl/one"}
CLI = ("-m", "kernelwright.driver.cli")
COMMON = ("trainer=small", "trainer.dtype=float32", "trainer.save_every=1000", "rollout.form=kernels")


def commands(given: argparse.Namespace, folder: Path, gpus: bool) -> dict[str, list[str]]:
    """The runs by name, in their order."""
    here = ["device=cuda:0"] if gpus else ["device=cpu"]
    one = [sys.executable, *CLI]
    both = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", *CLI]
    spread = ["device=cuda"] if gpus else ["device=cpu"]
    sft = ["sft", *COMMON, f"pairs={given.pairs}", "trainer.lr=1e-3", f"batch={given.batch}", "max_tokens=512"]
    answers = folder / "answers.jsonl"
    rl = [
        *("train", *COMMON, "recipe=smollm", f"problems.place={given.problems}", "target=h100", "trainer.lr=1e-4"),
        *("trainer.replay=0", "trainer.updates=1", "trainer.warmup=0", "trainer.tf32=false"),
        *("rollout.rungs=[parse,interpret]", f"rollout.n={given.n}", "rollout.max_tokens=192", "algorithm.kl=0.05"),
        *(f"trainer.problems={given.batch // given.n}", f"trainer.steps={given.steps}", f"workers={given.workers}"),
        *("trainer.budget=8192", "canary.enabled=false", f"seed={given.seed}"),
    ]
    rl += [f"adapter={given.adapter}"] if given.adapter else []
    drawing = ["policy=hf", "policy.max_model_len=1024", "policy.max_num_seqs=256"]
    replaying = ["policy=replay", f"policy.path={answers}"]
    first, second = (["policy.devices=0"], ["device=cuda:1"]) if gpus else ([], here)
    runs = {
        "sft/one": [*one, *sft, *here],
        "sft/both": [*both, *sft, *spread],
        "rl/one": [*one, *rl, *here, *drawing, *first, f"policy.record={answers}"],
        "rl/apart, replayed": [*one, *rl, *second, *replaying],
        "rl/both": [*both, *rl, *spread, *replaying],
        "rl/apart": [*one, *rl, *second, *drawing, *first, "trainer.ahead=1", "algorithm.tis_cap=2.0"],
    }
    return {name: [*words, f"out={folder / _file(name)}"] for name, words in runs.items()}


def _file(name: str) -> str:
    return name.replace("/", "_").replace(", ", "_")


def measured(name: str, command: Sequence[str], folder: Path) -> dict[str, Any]:
    """A run's figures by step; what it printed is under its name. Raises SystemExit with its code where it failed."""
    sys.stderr.write(f"{name}: {shlex.join(command)}\n")
    shutil.rmtree(folder / _file(name), ignore_errors=True)
    for word in command:
        if word.startswith("policy.record="):
            Path(word.partition("=")[2]).unlink(missing_ok=True)
    began = time.monotonic()
    with (folder / f"{_file(name)}.log").open("w") as log:
        done = subprocess.run(command, stdout=log, stderr=log, env={**os.environ, "OMP_NUM_THREADS": "1"})
    if done.returncode:
        tail = (folder / f"{_file(name)}.log").read_text("utf-8")[-2000:]
        sys.stderr.write(f"{name} ended with {done.returncode}:\n{tail}\n")
        sys.exit(done.returncode)
    steps = read_metrics(folder / _file(name))
    figures = {key: [step[key] for step in steps if key in step] for key in COMPARED}
    phases = {key: [step[key] for step in steps if key in step] for key in sorted(steps[-1]) if _is_seconds(key)}
    return {"command": shlex.join(command), "seconds": round(time.monotonic() - began, 1), **figures, **phases}


def _is_seconds(key: str) -> bool:
    return key.startswith(("seconds/", "idle/")) or key in ("step_seconds", "tokens_per_s")


def apart(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, float]:
    """How far figures lie apart at most, relative to the greatest of the first. Raises ValueError where runs have not
    the same steps, or learnt nothing that could differ."""
    if not any(one["grad_norm"]):
        raise ValueError("no step had anything to learn; give an --adapter that answers some problems")
    found = {}
    for key in COMPARED:
        pairs = list(zip(one[key], other[key], strict=True))
        largest = max((abs(left) for left, _ in pairs), default=0.0)
        if largest:
            found[key] = max(abs(left - right) for left, right in pairs) / largest
    return found


def main() -> int:
    """0 where all runs agree with that on one GPU, 1 where one does not, 2 for bad arguments, else a run's code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--pairs", type=Path, required=True, help="pairs that the adapter learns from")
    parser.add_argument("--problems", type=Path, required=True, help="pairs whose programs are answered")
    parser.add_argument("--adapter", help="adapter that the runs by reinforcement start from")
    parser.add_argument("--batch", type=int, default=64, help="pairs in a step, or answers")
    parser.add_argument("--n", type=int, default=8, help="answers to a problem")
    parser.add_argument("--steps", type=int, default=6, help="steps by reinforcement")
    parser.add_argument("--workers", type=int, default=1, help="evaluators at a time")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if not 1 <= given.n <= given.batch:
        parser.error(f"--n {given.n}: give a number from 1 to --batch, {given.batch}")
    gpus = torch.cuda.device_count()
    if gpus == 1:
        sys.stderr.write("there is one GPU; two are compared (none will do, too: then all runs on the CPU)\n")
        return 2
    folder = given.out.with_name(f"{given.out.name}.runs")
    folder.mkdir(parents=True, exist_ok=True)
    known = json.loads(given.out.read_text("utf-8"))["runs"] if given.out.is_file() else {}
    runs: dict[str, Any] = {}
    for name, command in commands(given, folder, bool(gpus)).items():
        done = known.get(name, {})
        runs[name] = done if done.get("command") == shlex.join(command) else measured(name, command, folder)
        try:
            differing = {f"{name} - {one}": apart(runs[one], runs[name]) for name, one in SAME.items() if name in runs}
        except ValueError as error:
            sys.stderr.write(f"{name}: {error}\n")
            return 2
        content = {"caliber": machine() | {"gpus": gpus}, "tolerance": TOLERANCE, "apart": differing, "runs": runs}
        write_result(given.out, {"command": command_line(), **content})
    worst = max(value for one in differing.values() for value in one.values())
    print(json.dumps({"tolerance": TOLERANCE, "worst": worst, "apart": differing}, indent=1))
    return int(worst > TOLERANCE)


if __name__ == "__main__":
    sys.exit(main())
