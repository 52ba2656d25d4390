"""Train an agent by reinforcement, make the adapter that ships, and measure start and end on held-out pairs.

usage: reinforced.py FOLDER --problems PAIRS.jsonl --pairs PAIRS.jsonl [--stage midend] [--adapter FOLDER] [key=value …]

The agent works on the split `train` of `--problems`, which `kernelwright data pairs answers=false` makes. Both
adapters are measured on the split `test` of `--pairs`. Each key=value goes to `kernelwright train`, besides SETTINGS.
The run ends after `--seconds` at the latest, and its last checkpoint is measured then. A command that was stopped
goes on from there, and trains no more once `shipped` exists. FOLDER gets `rl.json` (every step, by training_run.py),
`agents.json` (by agents.py or midend_agents.py, arms `start` and `rl`), and `shipped`, the adapter in bfloat16.
"""

import argparse
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from kernelwright.evaluation.pools.pool import usable_cores
from kernelwright.rl.data.rows import FRONTEND, MIDEND, STAGES
from kernelwright.rl.trainer.checkpoint import latest_checkpoint

#: What goes beyond `recipe=smollm` on a large GPU.
SETTINGS = {
    FRONTEND: """algorithm.tis_cap=2.0 algorithm.clip_high=0.28 trainer.problems=128 trainer.updates=2 trainer.lr=4e-4
        trainer.schedule=cosine trainer.warmup=5 trainer.imitate=128 trainer.imitation=0.4 trainer.rehearsal=0.3
        trainer.budget=32768 trainer.ahead=2 canary.slack=0.3 policy.max_num_seqs=1024 policy.max_model_len=640""",
    MIDEND: """algorithm.clip_high=0.28 rollout.rungs=[parse,compile,run] reward=log_speedup reward.failure=-3.5
        evaluator.samples=30 evaluator.seeds=1 rollout.n=12 rollout.temperature=1.1 rollout.max_tokens=64
        trainer.problems=16 trainer.lr=1.5e-4 trainer.save_every=1 trainer.budget=16384 trainer.tf32=false""",
}
#: How both are asked when they are measured.
MEASURED = {
    FRONTEND: """--n 8 --k 8 --max-tokens 256 --chunk 128 --modes sampled kind=hf dtype=float32 max_model_len=1024
        max_num_seqs=1024""",
    MIDEND: "--n 4 --max-tokens 64 --chunk 60 kind=hf dtype=float32 max_model_len=1152 max_num_seqs=192",
}
FORMS = {FRONTEND: "kernels", MIDEND: "brief"}


def training(given: argparse.Namespace) -> list[str]:
    """The words after `kernelwright`."""
    own = [f"stage={given.stage}", f"adapter={given.adapter}", f"problems.place={given.problems}"]
    own += [f"out={given.folder / 'rl'}", f"workers={given.workers}", f"target={given.target}"]
    return ["train", "recipe=smollm", *own, *SETTINGS[given.stage].split(), *given.settings]


def measuring(given: argparse.Namespace) -> list[str]:
    """The benchmark of the stage, and its arguments."""
    form, shipped = FORMS[given.stage], given.folder / "shipped"
    arms = ["--arm", f"start={form}:{given.adapter}", "--arm", f"rl={form}:{shipped}", "--workers", str(given.workers)]
    options = MEASURED[given.stage].split()
    out = str(given.folder / "agents.json")
    if given.stage == FRONTEND:
        more = ["--kernelbench", str(given.kernelbench)] if given.kernelbench else []
        return ["agents", out, "--pairs", str(given.pairs), *more, *arms, *options]
    return ["midend_agents", out, "--modules", str(given.pairs), "--target", given.target, *arms, *options]


def run(words: Sequence[str], seconds: float | None = None) -> int:
    """The exit status of a command of this Python's; 0 where it was told to end, after so many seconds."""
    sys.stderr.write(f"{shlex.join(words)}\n")
    with subprocess.Popen([sys.executable, *words]) as process:
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.terminate()
            process.wait()
            return 0


def main() -> int:
    """0 where all of it was measured, else the status of what failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--problems", type=Path, required=True)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--stage", choices=STAGES, default=FRONTEND)
    parser.add_argument("--adapter", help="the adapter to start from; by default shipped:STAGE")
    parser.add_argument(
        "--kernelbench", type=Path, help="KernelBench's problems, to measure the frontend's agent with as well"
    )
    parser.add_argument("--seconds", type=float, help="the most seconds of training")
    parser.add_argument("--workers", type=int, default=max(1, usable_cores() // 2), help="evaluators at a time")
    parser.add_argument("--target", default="h200")
    parser.add_argument("settings", nargs="*", help="key=value for `kernelwright train`")
    given = parser.parse_intermixed_args()
    given.adapter = given.adapter or f"shipped:{given.stage}"
    given.folder.mkdir(parents=True, exist_ok=True)
    if (given.folder / "shipped" / "adapter_config.json").is_file():  # what `ship_adapter.py` writes last
        return measured(given)
    trained, adapter = training(given), given.folder / "rl" / "adapter"
    if status := run(["-m", "kernelwright.driver.cli", *trained], given.seconds):
        return status
    if not adapter.is_dir():  # its time was up
        checkpoint = latest_checkpoint(given.folder / "rl" / "checkpoints")
        if checkpoint is None:
            sys.stderr.write("the time was up before the first checkpoint; give more --seconds\n")
            return 1
        adapter = checkpoint.folder / "adapter"
    rl, note = str(given.folder / "rl"), f"what was measured is {adapter.relative_to(given.folder)}"
    told = [rl, f"{rl}.json", "--command", shlex.join(["kernelwright", *trained]), "--note", note]
    if status := run(["-m", "benchmarks.agents.training_run", *told]):
        return status
    if status := run(["-m", "benchmarks.agents.ship_adapter", str(adapter), str(given.folder / "shipped")]):
        return status
    return measured(given)


def measured(given: argparse.Namespace) -> int:
    """Measure start and result: the benchmark's status."""
    name, *words = measuring(given)
    return run(["-m", f"benchmarks.agents.{name}", *words])


if __name__ == "__main__":
    sys.exit(main())
