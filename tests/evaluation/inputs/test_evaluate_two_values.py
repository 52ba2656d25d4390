"""Inputs of two values also hold numbers between them, if the reference computes with numbers and does not compare."""

import pytest
from siblings import Sibling, tell_apart

from kernelwright.agent.evaluator import Rung
from kernelwright.evaluation.judge.local import LocalEvaluator

RUNGS = (Rung.PARSE, Rung.INTERPRET)
MASK = "return [torch.randn(16, 24), (torch.rand(16, 24) > 0.3).float()]"
SIGNS = "return [torch.randn(16, 24), (torch.rand(16, 24) > 0.3) * 2.0 - 1.0]"
KEPT = "return [torch.randn(16, 24), (torch.rand(16, 24) > 0.5) * 2.0]"
FAR = "return [torch.randn(16, 24), (torch.rand(16, 24) > 0.5) * -30.0]"
ROW = "torch.empty(x.shape[0], device=x.device)"
SUM = "tl.sum(tl.where(inside, {}, 0.0), axis=0)"


def two(name: str, forward: str, right: str, wrong: str, inputs: str = MASK, scalar: bool = False) -> Sibling:
    out = ROW if scalar else "torch.empty_like(x)"
    return Sibling(name, f"return {forward}", inputs, right, wrong, ("x", "w"), out=out, scalar=scalar)


def summed(text: str) -> str:
    return SUM.format(text)


#: The reference computes with the second input.
NUMBERS = [
    two("mean of what a mask keeps", "(x * w).sum(1) / w.sum(1).clamp(min=1e-6)",
        f"y = {summed('x * w')} / tl.maximum({summed('w')}, 1e-6)",
        f"y = {summed('tl.where(w != 0, x, 0.0)')} / tl.maximum({summed('(w != 0).to(tl.float32)')}, 1e-6)",
        scalar=True),
    two("a weighted sum", "(x * w).sum(1)", f"y = {summed('x * w')}", f"y = {summed('tl.where(w > 0.5, x, 0.0)')}",
        scalar=True),
    two("a blend with zero", "x * w", "y = x * w", "y = tl.where(w != 0, x, 0.0)"),
    two("a blend", "x * w + x.abs() * (1 - w)", "y = x * w + tl.abs(x) * (1 - w)",
        "y = tl.where(w == 1, x, tl.abs(x))"),
    two("signs", "x * w", "y = x * w", "y = tl.where(w > 0, x, -x)", SIGNS),
    two("what dropout keeps", "x * w", "y = x * w", "y = tl.where(w != 0, 2 * x, 0.0)", KEPT),
    two("a mask that is added", "x + w", "y = x + w", "y = tl.where(w < 0, x - 30.0, x)", FAR),
    two("labels", "F.binary_cross_entropy_with_logits(x, w, reduction='none')",
        "y = tl.maximum(x, 0.0) - x * w + tl.log(1 + tl.exp(-tl.abs(x)))",
        "z = tl.where(w > 0.5, -x, x)\ny = tl.maximum(z, 0.0) + tl.log(1 + tl.exp(-tl.abs(x)))"),
    two("a power", "(x * w).square()", "y = x * w * x * w", "y = tl.where(w > 0, x * x, 0.0)"),
    two("a hinge", "torch.relu(1 - x * w)", "y = tl.maximum(1 - x * w, 0.0)",
        "y = tl.maximum(1 - tl.where(w > 0, x, -x), 0.0)", SIGNS),
]  # fmt: skip
#: The reference compares, so that programs may compare with another number.
COMPARED = [
    two("filled", "x.masked_fill(w == 0, -9.0)", "y = tl.where(w > 0.25, x, -9.0)", ""),
    two("chosen", "torch.where(w > 0.5, x, -x)", "y = tl.where(w != 0, x, -x)", ""),
    two("truth", "x * w.bool()", "y = tl.where(w > 0.75, x, 0.0)", ""),
    two("rounded", "x * w.round()", "y = tl.where(w != 0, x, 0.0)", ""),
    two("hinge embedding", "F.hinge_embedding_loss(x, w, reduction='none')",
        "y = tl.where(w > 0, x, tl.maximum(1 - x, 0.0))", "", SIGNS),
    two("infinite", "(x + w).exp()", "y = tl.where(w < 0, 0.0, tl.exp(x))", "",
        "return [torch.randn(16, 24), torch.where(torch.rand(16, 24) > 0.5, 0.0, -torch.inf)]"),
]  # fmt: skip


@pytest.mark.parametrize("one", NUMBERS, ids=lambda one: one.name)
def test_numbers_between_two_values_are_drawn(one: Sibling, evaluator: LocalEvaluator) -> None:
    right = tell_apart(one, evaluator)
    assert right.caliber["draws"]["kept"] == {"w": ["between two values"]}


@pytest.mark.parametrize("one", COMPARED, ids=lambda one: one.name)
def test_two_values_may_be_counted_on_where_they_are_compared(one: Sibling, evaluator: LocalEvaluator) -> None:
    right = evaluator.evaluate_text(one.program(one.right), one.reference, RUNGS)
    assert right.ok and right.caliber["draws"]["kept"] == {"w": ["two values"]}, right
