"""What programs compute: the same however it is spelt and at any size, another with another operator or axis."""

import pytest

from kernelwright.frontend.computed import computed
from kernelwright.frontend.generate import generate_program
from kernelwright.rl.data.contamination import Screen
from kernelwright.rl.data.rows import Problem

RELU = """import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return torch.relu(x).sum(-1)


batch_size, dim = 4096, 393216


def get_inputs():
    return [torch.rand(batch_size, dim)]


def get_init_inputs():
    return []
"""


def program(expression: str, *shapes: tuple[int, ...]) -> str:
    """A program of one expression of a, b, …, in the generator's spelling."""
    names = ", ".join("ab"[: len(shapes)])
    made = ", ".join(f"torch.randn{shape}" for shape in shapes)
    return (
        "import torch\nimport torch.nn.functional as F\n\n\nclass Model(torch.nn.Module):\n"
        f"    def forward(self, {names}):\n        y1 = {expression}\n        return y1\n\n\n"
        f"def get_inputs():\n    return [{made}]\n"
    )


@pytest.mark.parametrize(
    "expression", ["F.relu(a).sum(-1)", "a.relu().sum(dim=1)", "torch.sum(F.relu(a.clone()), (-1,))"]
)
def test_another_spelling_at_another_size_computes_the_same(expression: str) -> None:
    copy = program(expression, (4, 8))
    assert computed(copy) == computed(RELU)
    match = Screen([Problem("kernelbench/1/19", RELU)], computed=computed).match(copy)
    assert match is not None
    assert (match.id, match.similarity) == ("kernelbench/1/19", 1.0)


@pytest.mark.parametrize("expression", ["F.relu(a).sum(0)", "F.relu(a)", "F.gelu(a).sum(-1)", "F.relu(a.sum(-1))"])
def test_other_short_programs_are_others(expression: str) -> None:
    other = program(expression, (4, 8))
    assert computed(other) not in (None, computed(RELU))
    assert Screen([Problem("kernelbench/1/19", RELU)], computed=computed).match(other) is None


def test_which_value_an_operator_takes_counts() -> None:
    shapes = ((4, 4), (4, 4))
    assert computed(program("a - b * b", *shapes)) == computed(program("a - b * b", (2, 9), (2, 9)))
    assert computed(program("a - b * b", *shapes)) != computed(program("b - b * b", *shapes))
    assert computed(program("a * 0.5", *shapes)) != computed(program("a * 0.25", *shapes))


def test_what_cannot_be_compared_is_none_and_what_is_no_program_is_not_run() -> None:
    assert computed("raise SystemExit('it was run')\n") is None
    assert computed(program("a.view(-1)", (4, 4))) is None  # nothing is computed
    assert computed(program("a if a.sum().item() > 0 else a + 1", (4, 4))) is None
    assert computed(program("[a := a + 1 for _ in range(200)][-1]", (4, 4))) is None


def test_programs_of_the_generator_can_be_compared() -> None:
    assert None not in map(computed, (generate_program(seed, 2) for seed in range(8)))
