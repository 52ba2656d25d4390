"""The estimate of eager PyTorch: a launch for each operation, its bytes and FLOPs, and what it cannot say."""

import json
from pathlib import Path

import pytest

from kernelwright.backend.cost.eager import estimate_eager_us
from kernelwright.backend.cost.model import COPY_SHARE, LAUNCH_US
from kernelwright.backend.targets import get_target
from kernelwright.ir.errors import UserError
from kernelwright.ir.values import Reference

PROGRAM = """
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return {result}


def get_inputs():
    return [torch.randn({size})]
"""


def estimate(result: str, size: int = 1 << 20, target: str = "h100") -> float:
    reference = Reference(PROGRAM.format(result=result, size=size), "Model", (), (), ())
    return estimate_eager_us(reference, get_target(target))


def test_each_operation_is_a_launch_that_moves_its_tensors() -> None:
    moved_us = 2 * 4 * (1 << 20) / (get_target("h100").bandwidth_gb_s * 1e3 * COPY_SHARE)
    assert estimate("torch.relu(x)") == pytest.approx(LAUNCH_US + moved_us)
    assert estimate("torch.exp(torch.relu(x)) * 2") == pytest.approx(3 * estimate("torch.relu(x)"))
    assert estimate("x.view(-1, 4).t()") == 0.0, "views move nothing"


def test_products_take_their_flops() -> None:
    assert estimate("x.view(2048, 2048) @ x.view(2048, 2048)", 1 << 22) > 10 * estimate("torch.relu(x)", 1 << 22)


def test_what_cannot_be_estimated_says_so() -> None:
    with pytest.raises(UserError, match="not estimated for this program"):
        estimate("x * x.sum().item()")
    with pytest.raises(UserError, match="no cost model"):
        estimate("torch.relu(x)", target="interpreter")


def test_it_is_a_lower_bound_of_what_was_measured() -> None:
    """The figures that the documentation quotes: no estimate is far above its measurement."""
    path = Path(__file__).parents[3] / "benchmarks/results/cost/eager_cost_h200.json"
    found = json.loads(path.read_text("utf-8"))
    assert max(row["ratio"] for row in found["problems"]) == found["summary"]["all"]["greatest_ratio"] < 1.1
    assert 0.9 < found["summary"]["without convolutions"]["median_ratio"] < 1.1
