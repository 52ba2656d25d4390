"""A kernel has a part in every output that the reference computes; views, copies, constants and nothing need none."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source
from kernelwright.ir.values import Reference

RUNGS = (Rung.PARSE, Rung.INTERPRET)
X = "[torch.randn(5, 6)]"
LENGTH = "[torch.randn(5, 6), torch.tensor(3)]"


@pytest.fixture(scope="module", params=[True, False], ids=["dialect", "any Python"])
def evaluator(request: pytest.FixtureRequest) -> Iterator[LocalEvaluator]:
    with LocalEvaluator(
        seeds=1, timeout_s=120, memory_gb=2, use_gpu=False, dialect=request.param, rehearsals=0
    ) as evaluator:
        yield evaluator


@dataclass(frozen=True)
class Case:
    """`forward`s of a reference and of a program, whose kernel `scale(x, y, n, factor)` multiplies."""

    name: str
    reference: str
    program: str
    inputs: str = X
    any_python: bool = False

    @property
    def imported(self) -> Reference:
        """The reference."""
        return import_source(
            f"import torch\n\n\nclass Model(torch.nn.Module):\n{self.reference}\n\n\n"
            f"def get_inputs():\n    return {self.inputs}\n\n\ndef get_init_inputs():\n    return []\n",
            self.name,
            shrink="never",
        ).reference

    @property
    def text(self) -> str:
        """The program."""
        return f"{KERNEL}\n\nclass ModelNew(nn.Module):\n{self.program}"


KERNEL = """import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, y_ptr, n, factor, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n) * factor, mask=i < n)
"""


def forward(body: str, names: str = "x") -> str:
    lines = "\n".join(f"        {line}" for line in body.strip().splitlines())
    return f"    def forward(self, {names}):\n{lines}\n"


TRIPLED = "y = torch.empty_like(x)\nscale[(1,)](x.contiguous(), y, x.numel(), 3.0, B=32)\n"
IN_TRAINING = f"if not self.training:\n    return {{}}\n{TRIPLED}return y"
LENGTHS = """y = torch.zeros_like(x)
n = max(0, min(int(length.item()), x.shape[0])) * x.shape[1]
if n > 0:
    scale[(1,)](x.contiguous(), y, n, 3.0, B=32)
return y"""
MASKED = "return torch.where((torch.arange(x.shape[0]) < length)[:, None], x * 3, 0.0)"
RIGHT = [
    Case(
        "the input itself in evaluation mode",
        forward("return x * 3 if self.training else x"),
        forward(IN_TRAINING.format("x")),
    ),
    Case(
        "a view in evaluation mode",
        forward("return x * 3 if self.training else x.t()"),
        forward(IN_TRAINING.format("x.t()")),
    ),
    Case(
        "a slice in evaluation mode",
        forward("return x * 3 if self.training else x[:, :2]"),
        forward(IN_TRAINING.format("x[:, :2]")),
    ),
    Case(
        "a copy in evaluation mode",
        forward("return x * 3 if self.training else torch.cat([x, x])"),
        forward(IN_TRAINING.format("torch.cat([x, x])")),
    ),
    Case(
        "zeros besides a result",
        forward("return x * 3, torch.zeros(4)"),
        forward(f"{TRIPLED}return y, torch.zeros(4, device=x.device)"),
    ),
    Case(
        "ones besides a result, which nothing is computed of",
        forward("return x * 3, torch.ones(4) * 2"),
        forward(f"{TRIPLED}return y, torch.full((4,), 2.0, device=x.device)"),
    ),
    Case(
        "the input besides a result",
        forward("return x * 3, x"),
        forward(f"{TRIPLED}return y, x"),
    ),
    Case(
        "a result without elements",
        forward("return x * 3, x[:0] * 3"),
        forward(f"{TRIPLED}return y, torch.empty((0, x.shape[1]), device=x.device)"),
    ),
    Case(
        "nothing but masked rows, read as a number",
        forward(MASKED, "x, length"),
        forward(LENGTHS, "x, length"),
        LENGTH,
        any_python=True,
    ),
]
WRONG = [
    Case(
        "the input in place of a product with one",
        forward("return x * 1.0"),
        forward("return x.clone()"),
    ),
    Case(
        "the same where evaluation mode gives the input",
        forward("return x * 1.0 if self.training else x"),
        forward("return x.clone()"),
    ),
    Case(
        "zeros for a product with zero",
        forward("return x * 0.0 if self.training else x * 3"),
        forward(f"if self.training:\n    return torch.zeros_like(x)\n{TRIPLED}return torch.zeros_like(x)"),
    ),
    Case(
        "zeros that no inputs change",
        forward("return (x != x).float()"),
        forward("return torch.zeros_like(x)"),
        "[torch.randint(0, 5, (5, 6))]",
    ),
    Case(
        "ones that no inputs change, besides a result",
        forward("return x * 3, torch.isfinite(x * 0 + 1).all(-1) | True"),
        forward(f"{TRIPLED}return y, torch.ones(x.shape[0], dtype=torch.bool, device=x.device)"),
    ),
    Case(
        "a second output that is copied where it is computed",
        forward("return x * 3, x.abs() + x - x.abs()"),
        forward("return x.clone(), x.clone()"),
    ),
    Case(
        "a number computed in host code",
        forward("return x * 3"),
        forward("return torch.full((1,), 3.0 * x.item(), device=x.device)"),
        "[torch.randn(1)]",
        any_python=True,
    ),
    Case(
        "a length computed in host code",
        forward("return length * 3, x * 3", "x, length"),
        forward(f"{TRIPLED}return torch.full((), 3 * int(length.item()), device=x.device), y", "x, length"),
        LENGTH,
        any_python=True,
    ),
]


@pytest.mark.parametrize("case", RIGHT, ids=lambda case: case.name)
def test_what_is_not_computed_needs_no_kernel(case: Case, evaluator: LocalEvaluator) -> None:
    if evaluator.dialect and case.any_python:
        pytest.skip("the dialect reads no numbers in host code")
    verdict = evaluator.evaluate_text(case.text, case.imported, RUNGS)
    assert verdict.ok, verdict


@pytest.mark.parametrize("case", WRONG, ids=lambda case: case.name)
def test_what_is_computed_needs_one(case: Case, evaluator: LocalEvaluator) -> None:
    if evaluator.dialect and case.any_python:
        pytest.skip("the dialect reads no numbers in host code")
    verdict = evaluator.evaluate_text(case.text, case.imported, RUNGS)
    assert verdict.status in (Status.CHEAT, Status.MISMATCH), verdict
    assert verdict.status is Status.MISMATCH or "no kernel has a part in output" in verdict.detail, verdict
