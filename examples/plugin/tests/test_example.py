"""The package's plug-ins, each used by its name."""

from pathlib import Path

import pytest
import torch

import kernelwright
from kernelwright.agent.evaluator import Rung, Status, Verdict
from kernelwright.agent.rewards import make_reward, needs_of

RELU = Path(__file__).parent / "relu.py"


@pytest.fixture(scope="module")
def compiled() -> object:
    """A program that the rules of the policy answer, then the pass."""
    options = {"policy": "rules", "policy.block": 256, "evaluator.seeds": 1}
    spec = "fe-agent{n=1},more-warps{warps=2}"
    return kernelwright.compile(RELU, pipeline=spec, target="h100-half", overrides=options)


def test_the_policy_answers_the_pass_changes_and_the_target_is_compiled_for(compiled) -> None:
    assert compiled.ok and compiled.report["target"] == "h100-half"
    assert [stage.changed for stage in compiled.result.stages] == [True, False]  # it launches with options in the call
    x = torch.randn(8, 64)
    torch.testing.assert_close(compiled(x), torch.relu(x))


def test_the_reward_pays_what_is_right_and_nothing_else(compiled) -> None:
    reward = make_reward("short", {"per_line": 0.02})
    right = Verdict(Status.OK, Rung.INTERPRET, rungs=(Rung.PARSE, Rung.INTERPRET))
    assert reward(compiled.module, compiled.module, right) == pytest.approx(1.0 - 0.02 * 6)
    for status in (Status.MISMATCH, Status.CHEAT, Status.UNPARSED, Status.TIMEOUT):
        assert reward(compiled.module, compiled.module, Verdict(status, Rung.INTERPRET)) == -1.0
    assert not needs_of(reward).times and needs_of(make_reward("short", {"speed": 1.0})).times
