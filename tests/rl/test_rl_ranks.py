"""Two processes with a share of the base model each, started by torchrun: what one does alone comes out."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from two_ranks import STEPS, reinforced, supervised

from kernelwright.rl.trainer.checkpoint import latest_checkpoint
from kernelwright.rl.trainer.packing import Example
from kernelwright.rl.trainer.ranks import Ranks
from kernelwright.rl.trainer.run_log import read_metrics


def torchrun(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    script = Path(__file__).with_name("two_ranks.py")
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", str(script)]
    return subprocess.run([*command, str(folder), *words], capture_output=True, text=True, check=False)


def same(one: Path, other: Path, *names: str) -> None:
    """Metrics of every step, and the adapters, within what summing in another order makes of fp32."""
    rows, others = read_metrics(one), read_metrics(other)
    assert [row["step"] for row in rows] == [row["step"] for row in others]
    for row, like in zip(rows, others, strict=True):
        for name in names:
            assert row.get(name, 0.0) == pytest.approx(like.get(name, 0.0), abs=1e-5, rel=1e-5), (row["step"], name)
    weights, like_weights = (load_file(run / "adapter" / "adapter_model.safetensors") for run in (one, other))
    assert weights.keys() == like_weights.keys()
    for key, value in weights.items():
        torch.testing.assert_close(value, like_weights[key], atol=1e-5, rtol=1e-4)


@pytest.mark.slow
def test_two_processes_do_what_one_does(tmp_path: Path) -> None:
    supervised(tmp_path / "alone-sft")
    reinforced(tmp_path / "alone-rl")
    reinforced(tmp_path / "alone-cut", ahead=2)
    supervised(tmp_path / "second", epochs=1)  # for the two to go on with
    died = torchrun(tmp_path, "die")
    # The other process may abort before torchrun looks, and is then named in the place of the one that was killed.
    assert died.returncode != 0 and (tmp_path / "dying").exists(), died.stderr
    learnt = ("loss", "grad_norm", "lr")
    same(tmp_path / "sft", tmp_path / "alone-sft", "held_out_loss", *learnt)
    same(tmp_path / "rl", tmp_path / "alone-rl", "reward", "mismatch", "kl", "entropy", "ratio", "kept_rows", *learnt)
    found: Any = latest_checkpoint(tmp_path / "cut" / "checkpoints")
    assert found.step in (1, 2)  # the last step may not have been kept
    stopped = torchrun(tmp_path, "stop")
    for rank in (0, 1):
        assert f"Terminated {rank} stopped after step" in stopped.stdout, stopped.stdout + stopped.stderr
    for name in ("stopped", "stopped-sft"):
        kept: Any = latest_checkpoint(tmp_path / name / "checkpoints")
        assert kept.step == len(read_metrics(tmp_path / name)) >= 2
        assert kept.step < STEPS
    going_on = torchrun(tmp_path)
    assert going_on.returncode == 0, going_on.stderr
    same(tmp_path / "cut", tmp_path / "alone-cut", "reward", "lag", *learnt)
    same(tmp_path / "stopped", tmp_path / "alone-cut", "reward", "lag", *learnt)
    same(tmp_path / "stopped-sft", tmp_path / "alone-sft", *learnt)
    assert [row["lag"] for row in read_metrics(tmp_path / "cut")] == [0, 1, 2, 2]
    assert len(read_metrics(tmp_path / "cut")) == STEPS
    same(tmp_path / "second", tmp_path / "alone-sft", *learnt)  # begun by one, ended by two
    shutil.copytree(tmp_path / "first", tmp_path / "third")
    supervised(tmp_path / "third")
    same(tmp_path / "third", tmp_path / "alone-sft", *learnt)  # begun by two, ended by one


def test_rows_are_dealt_out_evenly_and_none_is_lost() -> None:
    rows = [Example((1,), (2,) * length) for length in (1, 7, 3, 9, 2, 5, 4)]
    shares = [Ranks(rank, 3).packs(rows, 10) for rank in range(3)]
    assert len({len(share) for share in shares}) == 1  # passes of one wait for those of the others
    assert sorted(index for share in shares for pack in share for index in pack) == list(range(7))
    tokens = [sum(len(rows[index]) for pack in share for index in pack) for share in shares]
    assert max(tokens) <= 1.5 * min(tokens)
    assert [Ranks(rank, 2).packs(rows[:1], 10) for rank in range(2)] == [[[0]], [[]]]
