"""What the dialect's host code can ask of its caller: who wants gradients, what trains, and how inputs are passed."""

import pytest

from kernelwright.agent.evaluator import Rung, Status
from kernelwright.evaluation.judge.local import LocalEvaluator
from kernelwright.frontend.importers import import_source

RUNGS = (Rung.PARSE, Rung.INTERPRET)
MODULE = """class {name}(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.LayerNorm(32)
        self.outer = nn.LayerNorm(32)

    def forward(self, {names}):
{body}
"""
REFERENCE = import_source(
    "import torch\nfrom torch import nn\n\n\n"
    + MODULE.format(name="Model", names="x, b", body="        return self.outer(self.inner(x)) - b")
    + "\n\ndef get_inputs():\n    return [torch.randn(8, 32), torch.randn(8, 32)]\n\n\n"
    "def get_init_inputs():\n    return []\n",
    "norms",
    shrink="never",
).reference
KERNEL = """import torch
from torch import nn
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, b_ptr, w_ptr, c_ptr, v_ptr, d_ptr, y_ptr, factor, N: tl.constexpr):
    i = tl.arange(0, N)
    place = tl.program_id(0) * N + i
    x = tl.load(x_ptr + place)
    x = x - tl.sum(x) / N
    x = x / tl.sqrt(tl.sum(x * x) / N + 1e-5) * tl.load(w_ptr + i) + tl.load(c_ptr + i)
    x = x - tl.sum(x) / N
    x = x / tl.sqrt(tl.sum(x * x) / N + 1e-5) * tl.load(v_ptr + i) + tl.load(d_ptr + i)
    tl.store(y_ptr + place, x * factor - tl.load(b_ptr + place))


"""
BODY = """        factor = {factor}
        y = torch.empty_like(x)
        inner, outer = self.inner, self.outer
        k[(8,)](x, b, inner.weight, inner.bias, outer.weight, outer.bias, y, factor, 32)
        return y"""


def program(factor: str, names: str = "x, b") -> str:
    return KERNEL + MODULE.format(name="ModelNew", names=names, body=BODY.format(factor=factor))


WRONG = {
    "in evaluation mode": "1.0 if self.training else 2.0",
    "one part in evaluation mode": "1.0 if self.inner.training else 2.0",
    "another part in evaluation mode": "1.0 if self.outer.training else 2.0",
    "a part in another mode than the whole": "1.0 if self.inner.training == self.training else 2.0",
    "weights that want gradients": "2.0 if self.inner.weight.requires_grad else 1.0",
    "weights that want none": "1.0 if self.inner.weight.requires_grad else 2.0",
    "an input that wants gradients": "2.0 if x.requires_grad else 1.0",
    "one of two inputs that want gradients": "1.0 if x.requires_grad == b.requires_grad else 2.0",
    "inputs and weights that want gradients": "2.0 if b.requires_grad and self.outer.bias.requires_grad else 1.0",
}


@pytest.mark.parametrize("factor", WRONG.values(), ids=WRONG)
def test_what_only_some_callers_get_right_is_refused(factor: str, evaluator: LocalEvaluator) -> None:
    verdict = evaluator.evaluate_text(program(factor), REFERENCE, RUNGS)
    assert verdict.status is Status.MISMATCH, verdict


def test_inputs_with_each_others_names_are_refused(evaluator: LocalEvaluator) -> None:
    swapped = program("1.0", "b, x").replace("(x, b, inner", "(b, x, inner")
    assert evaluator.evaluate_text(swapped, REFERENCE, RUNGS).status in (Status.MISMATCH, Status.RUNTIME_ERROR)


@pytest.mark.parametrize("factor", ["1.0", "1.0 if self.training else 1.0", "1.0 if x.requires_grad else 1.0"])
@pytest.mark.parametrize("names", ["x, b", "x, bias"])
def test_who_asks_and_computes_the_same_is_right(factor: str, names: str, evaluator: LocalEvaluator) -> None:
    text = program(factor, names).replace("(x, b, inner", f"({names}, inner")
    verdict = evaluator.evaluate_text(text, REFERENCE, RUNGS)
    assert verdict.ok, verdict
