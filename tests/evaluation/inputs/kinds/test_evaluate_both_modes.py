"""Draws of several kinds in evaluation mode too, for programs that give something else there."""

from dataclasses import dataclass

import pytest
from siblings import Sibling, tell_apart

from kernelwright.evaluation.judge.local import LocalEvaluator


@dataclass(frozen=True)
class InBothModes(Sibling):
    """The kernel is told the mode in `TRAIN`."""

    def program(self, body: str) -> str:
        text = super().program(body).replace("y_ptr, N,", "y_ptr, N, TRAIN,")
        return text.replace(", y, n,", ", y, n, 1 if self.training else 0,")


MORE = " + (1 if self.training else 0)"
PROGRAMS = [
    InBothModes("an unknown token", f"return torch.where(x >= 0, 2 * x, 0){MORE}",
                "return [torch.randint(0, 20, (4, 10))]", "y = tl.where(x >= 0, 2 * x, 0) + TRAIN",
                "y = tl.where((x >= 0) | (TRAIN == 0), 2 * x, 0) + TRAIN"),
    InBothModes("a saved variance", f"return x / (self.v + 1e-6).sqrt(){MORE}", "return [torch.randn(16, 8)]",
                "y = x / tl.sqrt(v + 1e-6) + TRAIN", "y = x / tl.sqrt(v + 1e-6 * TRAIN) + TRAIN", held=("v",),
                init="self.register_buffer('v', torch.ones(8))"),
    InBothModes("a threshold", f"return (x >= 3.0).float(){MORE}", "return [torch.randn(16, 8)]",
                "y = tl.where(x >= 3.0, 1.0, 0.0) + TRAIN",
                "y = tl.where((x > 3.0) | ((x == 3.0) & (TRAIN == 1)), 1.0, 0.0) + TRAIN"),
]  # fmt: skip


@pytest.mark.parametrize("one", PROGRAMS, ids=lambda one: one.name)
def test_special_inputs_and_buffers_come_in_evaluation_mode_too(one: Sibling) -> None:
    with LocalEvaluator(seed=5, seeds=1) as evaluator:
        right = tell_apart(one, evaluator)
    drawn = right.caliber["draws"]["made"] + right.caliber["draws"]["left_out"]
    assert "negative in evaluation mode" in drawn


def test_programs_that_are_the_same_in_both_modes_are_drawn_in_one() -> None:
    one = Sibling("a shift", "return x + 1", "return [torch.randn(16, 8)]", "y = x + 1", "y = x")
    with LocalEvaluator(seed=5, seeds=1) as evaluator:
        right = tell_apart(one, evaluator)
    assert not [name for name in right.caliber["draws"]["made"] if "evaluation" in name]
