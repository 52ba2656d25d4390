"""Numbers among the inputs of a program that is called with them."""

import pytest

from kernelwright.agent.evaluator import Rung
from kernelwright.evaluation.inputs.kinds.numbers import other_numbers
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source
from kernelwright.frontend.lower_inductor import LowerInductor
from kernelwright.ir.passes import Context
from kernelwright.ir.values import ScalarSpec

REFERENCE = """\
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, s):
        return {forward}


def get_inputs():
    return [torch.randn(16, 64), {number}]


def get_init_inputs():
    return []
"""
CANDIDATE = """\
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, y_ptr, s, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    y = {made}
    tl.store(y_ptr + i, y)


class ModelNew(nn.Module):
    def forward(self, x, s):
        y = torch.empty_like(x)
        k[(16,)](x, y, s, BLOCK=64)
        return y
"""
#: A reference, its number, and the kernel: wrong ones have the number in their text.
TABLE = {
    "a share": ("s * x + (1 - s) * x.abs()", "0.3", "s * x + (1 - s) * tl.abs(x)"),
    "a scale": ("x * s", "2.5", "x * s"),
    "a negative scale": ("x * s", "-4.0", "x * s"),
    "an offset": ("x + s", "10.0", "x + s"),
    "a threshold": ("torch.where(x > s, x, 0.0)", "0.5", "tl.where(x > s, x, 0.0)"),
    "a slope": ("torch.where(x > 0, x, s * x)", "0.01", "tl.where(x > 0, x, s * x)"),
    "a small number that is added": ("x / (x.abs() + s)", "1e-3", "x / (tl.abs(x) + s)"),
    "a temperature": ("torch.exp(x / s)", "1.0", "tl.exp(x / s)"),
}


@pytest.mark.parametrize("name", TABLE)
def test_a_number_among_the_inputs_is_another_one(name: str) -> None:
    forward, number, made = TABLE[name]
    reference = import_source(REFERENCE.format(forward=forward, number=number), "numbers", shrink="never").reference
    fixed = made.replace("(1 - s)", f"(1 - {number})").replace("s)", f"{number})").replace("s *", f"{number} *")
    fixed = fixed.replace("* s", f"* {number}").replace("+ s", f"+ {number}").replace("> s", f"> {number}")
    with LocalEvaluator(seed=5, seeds=1) as evaluator:
        for text, status in ((made, "ok"), (fixed, "mismatch")):
            verdict = evaluator.evaluate_text(CANDIDATE.format(made=text), reference, (Rung.PARSE, Rung.INTERPRET))
            assert verdict.status.value == status, (text, verdict)


def test_a_program_that_is_no_class_is_for_its_numbers() -> None:
    forward, number, _ = TABLE["a share"]
    module = import_source(REFERENCE.format(forward=forward, number=number), "numbers", shrink="never")
    with LocalEvaluator(seed=5, seeds=1) as evaluator:
        assert evaluator.evaluate(LowerInductor().run(module, Context()), (Rung.PARSE, Rung.INTERPRET)).ok


def test_integers_and_switches_stay() -> None:
    specs = [ScalarSpec("n", 3), ScalarSpec("on", True), ScalarSpec("s", 0.25), ScalarSpec("t", -2.0)]
    for seed in range(20):
        n, on, s, t = other_numbers(specs, [3, True, 0.25, -2.0], seed)
        assert (n, on) == (3, True)
        assert isinstance(s, float) and 0 < s < 1 and s != 0.25
        assert isinstance(t, float) and -5.1 < t < -0.5 and t != -2.0
