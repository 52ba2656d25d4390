"""The comparison of training on two GPUs with training on one: what it runs, and when figures agree."""

import argparse
from pathlib import Path

import pytest

from benchmarks.agents.two_gpus import SAME, apart, commands

GIVEN = argparse.Namespace(
    pairs="pairs.jsonl", problems="rl.jsonl", adapter="sft/adapter", batch=64, n=8, steps=6, workers=1, seed=0
)


def test_learner_and_policy_have_a_gpu_each_or_share_the_learning(tmp_path: Path) -> None:
    runs = commands(GIVEN, tmp_path, gpus=True)
    for name in ("rl/apart", "rl/apart, replayed"):
        assert "device=cuda:1" in runs[name]
    assert "policy.devices=0" in runs["rl/apart"] and "trainer.ahead=1" in runs["rl/apart"]
    for name in ("sft/both", "rl/both"):
        assert "torch.distributed.run" in runs[name] and "device=cuda" in runs[name]
    recorded = f"{tmp_path / 'answers.jsonl'}"
    assert f"policy.record={recorded}" in runs["rl/one"] and f"policy.path={recorded}" in runs["rl/both"]
    assert len({words[-1] for words in runs.values()}) == len(runs) and set(SAME) < set(runs)


def test_figures_are_apart_by_their_largest_difference() -> None:
    one = {"loss": [2.0, -4.0], "grad_norm": [1.0, 0.5], "entropy": []}
    assert apart(one, {"loss": [2.0, -4.0], "grad_norm": [1.0, 0.5], "entropy": []}) == {"loss": 0.0, "grad_norm": 0.0}
    assert apart(one, {"loss": [2.1, -4.2], "grad_norm": [1.0, 0.5], "entropy": []})["loss"] == pytest.approx(0.05)


def test_runs_that_cannot_differ_are_not_compared() -> None:
    one = {"loss": [1.0, 2.0], "grad_norm": [1.0, 1.0], "entropy": []}
    with pytest.raises(ValueError, match="shorter"):
        apart(one, {"loss": [1.0], "grad_norm": [1.0, 1.0], "entropy": []})
    still = {"loss": [0.0], "grad_norm": [0.0], "entropy": []}
    with pytest.raises(ValueError, match="no step had anything to learn; give an --adapter"):
        apart(still, still)
